"""Every example in a docstring of the pure packages is run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import costmodel
import optimizer


def modules(package) -> list[str]:
    return [package.__name__] + [
        m.name for m in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]


@pytest.mark.parametrize("name", [*modules(optimizer), *modules(costmodel), "app.sql"])
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", [*modules(optimizer), *modules(costmodel)])
def test_public_names_exist_and_modules_say_what_they_are(name):
    module = importlib.import_module(name)
    assert module.__doc__
    assert all(hasattr(module, public) for public in module.__all__)
