"""What the service answers when it cannot do what it is asked: one table of stable codes.

Domain errors (`optimizer.errors`) know no HTTP; `app.problems` gives them their code from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from optimizer.errors import FieldError, WeftError

__all__ = ["CODES", "ApiError"]

CODES: Mapping[str, tuple[int, str]] = {
    "malformed_json": (400, "The body is not JSON"),
    "unauthorized": (401, "A key is needed"),
    "foreign_origin": (403, "Another site asked for this"),
    "not_found": (404, "There is nothing here"),
    "stream_not_found": (404, "No such stream"),
    "query_not_found": (404, "No such query"),
    "plan_not_found": (404, "No such plan"),
    "method_not_allowed": (405, "This method is not for this resource"),
    "not_acceptable": (406, "No such representation"),
    "query_exists": (409, "The id is taken by another query"),
    "stream_running": (409, "The stream's job is running"),
    "stream_in_use": (409, "The stream is in use"),
    "queries_would_break": (409, "Registered queries would become invalid"),
    "checkpoint_mismatch": (409, "The job's state does not fit its queries"),
    "no_queries": (409, "The stream has no queries"),
    "conflict": (409, "Another change came first"),
    "body_too_large": (413, "The body is too large"),
    "unsupported_media_type": (415, "The body must be JSON"),
    "wrong_host": (421, "This service goes by another name"),
    "invalid_input": (422, "The input is not valid"),
    "unsupported": (422, "Legal, but not supported yet"),
    "bad_request": (400, "The request is not valid"),
    "internal": (500, "Something went wrong here"),
    "unavailable": (503, "Not available just now"),
}
"""Stable code to HTTP status and title. Clients are written against the codes: add, never rename."""


class ApiError(WeftError):
    """A refusal with its code; ``errors`` names the fields that are to blame.

    Of very many errors only the first are answered, unless ``every`` says that the caller needs them all.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        errors: Iterable[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        every: bool = False,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.status, self.title = CODES[code]
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.every = every
