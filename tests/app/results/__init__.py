"""Tests of `app.results`."""
