"""``python -m planner_spark JOB.json``: the driver process of one job."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from planner_spark.errors import JobError
from planner_spark.job import run_job
from planner_spark.spec import JobSpec


def main(arguments: list[str]) -> int:
    """Run the job that the file describes."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m planner_spark JOB.json\n")
        return 2
    try:
        return run_job(JobSpec.read(Path(arguments[0])))
    except JobError as error:
        logging.getLogger("planner_spark").error("%s", error)
        return error.exit_code


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    # Spark's own threads may outlive the work; nothing is left for them to do.
    os._exit(code)
