"""The folder of a generation: its layout, and the note of which shape and versions its checkpoint has."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from planner_spark.errors import CheckpointMismatch
from planner_spark.files import read_json, write_json
from planner_spark.shape import differences, shape_of
from planner_spark.signature import give_bits
from planner_spark.spec import JobSpec

__all__ = ["Generation"]


@dataclass(frozen=True, slots=True)
class Generation:
    """Where a generation's files are."""

    home: Path

    @property
    def lock(self) -> Path:
        return self.home / "driver.lock"

    @property
    def holder(self) -> Path:
        return self.home / "driver.json"

    @property
    def status(self) -> Path:
        return self.home / "status.json"

    @property
    def checkpoint(self) -> Path:
        return self.home / "checkpoint"

    @property
    def control(self) -> Path:
        return self.home / "control"

    @property
    def results(self) -> Path:
        return self.home / "results"

    @property
    def manifest(self) -> Path:
        return self.home / "manifest.json"

    def admit(self, spec: JobSpec) -> tuple[str, ...]:
        """Check that the checkpoint fits the job, note what it is, and say which predicate has which bit."""
        versions = {"weft": version("weft-acq"), "spark": version("pyspark")}
        shape = shape_of(spec)
        wanted = [query.where for query in spec.queries if query.where is not None]
        noted = read_json(self.manifest)
        if noted is not None:
            found = differences(noted["shape"], shape)
            found += [
                f"the version of {name} was {noted[name]} and is now {now}"
                for name, now in versions.items()
                if noted[name].split(".")[:2] != now.split(".")[:2]
            ]
            if found:
                raise CheckpointMismatch("the checkpoint cannot be resumed: " + "; ".join(found))
        predicates = give_bits(noted["predicates"] if noted else [], wanted)
        write_json(self.manifest, {"shape": shape, "predicates": predicates, **versions})
        self.control.mkdir(exist_ok=True)
        return predicates
