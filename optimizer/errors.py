"""What can be wrong with a workload, said without any word of HTTP.

WeftError
├── InvalidInput        a description that breaks a rule; names every offending field
└── Unsupported         a legal description that no engine can run yet
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["FieldError", "InvalidInput", "Unsupported", "WeftError"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldError:
    """One offending field, as a dotted path, and what would be right."""

    field: str
    message: str

    def under(self, prefix: str) -> FieldError:
        """The same error seen from an enclosing object.

        >>> FieldError(field="slide", message="must be positive").under("window").field
        'window.slide'
        """
        return FieldError(field=f"{prefix}.{self.field}" if self.field else prefix, message=self.message)


class WeftError(Exception):
    """Base of every error that Weft raises on purpose."""


class InvalidInput(WeftError):
    """A description breaks one or more rules.

    >>> str(InvalidInput.at("window.slide", "must be positive"))
    'window.slide: must be positive'
    """

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(f"{e.field}: {e.message}" for e in self.errors))

    @classmethod
    def at(cls, field: str, message: str) -> InvalidInput:
        """The error of a single field."""
        return cls([FieldError(field=field, message=message)])

    def under(self, prefix: str) -> InvalidInput:
        """The same errors seen from an enclosing object."""
        return type(self)(e.under(prefix) for e in self.errors)


class Unsupported(InvalidInput):
    """A legal description that cannot be run yet; the message says what can."""
