"""Tests of the service, over HTTP wherever they can be."""
