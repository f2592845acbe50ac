"""How the members of unions in bodies are told apart.

Pydantic puts the tag of a union's member into the location of an error. What a person is told names fields
only, so the tags of queries are such as no field is called, and the kinds of sources are known here.
"""

from __future__ import annotations

__all__ = ["SOURCE_KINDS", "SPEC_TAG", "SQL_TAG", "UNION_TAGS"]

SPEC_TAG = "<spec>"
SQL_TAG = "<sql>"
UNION_TAGS = frozenset({SPEC_TAG, SQL_TAG})
SOURCE_KINDS = ("files", "rate", "synthetic", "kafka")
