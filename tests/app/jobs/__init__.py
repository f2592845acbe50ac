"""Tests of `app.jobs`."""
