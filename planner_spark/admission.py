"""Whether a checkpoint is good for a job, and the note that says what it is good for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from planner_spark.errors import CheckpointMismatch
from planner_spark.files import write_json
from planner_spark.home import Home
from planner_spark.shape import differences, shape_of
from planner_spark.spec import JobSpec
from planner_spark.tags import Tags, give_tags

__all__ = ["Admission", "admit", "mismatches"]

_DISTRIBUTIONS = {"weft": "weft-acq", "spark": "pyspark"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What a checkpoint has given out: each predicate's bit, by its position, and the tags of sub-aggregations."""

    predicates: tuple[str, ...]
    tags: Tags


def admit(home: Home, spec: JobSpec) -> Admission:
    """Check that the checkpoint fits the job, and note what it is and what it has given out."""
    noted = home.manifest()
    if noted is not None:
        found = mismatches(noted, spec)
        if found:
            raise CheckpointMismatch("the checkpoint cannot be resumed: " + "; ".join(found))
    wanted = [query.where for query in spec.queries if query.where is not None]
    predicates = give_bits(noted["predicates"] if noted else [], wanted)
    tags = give_tags(Tags.parse(noted["tags"]) if noted else Tags(), spec.plan_in_force)
    note = {"shape": shape_of(spec), "predicates": predicates, "tags": tags.note(), **_versions()}
    write_json(home.manifest_file, note)
    home.control.mkdir(exist_ok=True)
    return Admission(predicates=predicates, tags=tags)


def mismatches(noted: dict[str, Any], spec: JobSpec) -> list[str]:
    """What keeps a checkpoint with that note from being resumed for the job; a patch release changes no state."""
    versions = [
        f"it was made by {name.capitalize()} {noted.get(name)}, and this is {now}"
        for name, now in _versions().items()
        if str(noted.get(name)).split(".")[:2] != now.split(".")[:2]
    ]
    return [*versions, *differences(noted.get("shape", {}), shape_of(spec))]


def give_bits(known: Sequence[str], wanted: Iterable[str]) -> tuple[str, ...]:
    """The known predicates, and behind them the wanted ones that are new.

    >>> give_bits(["a > 1", "b > 1"], ["c > 1", "a > 1"])
    ('a > 1', 'b > 1', 'c > 1')
    """
    return tuple(dict.fromkeys([*known, *wanted]))


def _versions() -> dict[str, str]:
    return {name: version(distribution) for name, distribution in _DISTRIBUTIONS.items()}
