"""Flink SQL: all windows in one statement set, mini-batch and two-phase aggregation on, a sink that drops all.

Flink has no micro-batches to leave out. So one process runs three jobs, one after the other: the warm-up's files, for
its Java to get warm, the same again, and all files. What the third took longer than the second is what is measured: to
start a job and to close all windows at its end is in both. The times are Flink's own, without the planning.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pyarrow.parquet as pq
import pyspark

from benchmarks.spark.config import Config, Result
from benchmarks.spark.data import data_files, two_lanes
from benchmarks.spark.expected import expected_results
from benchmarks.spark.workload import DELAY

__all__ = ["VERSION", "install", "parquet_format", "run"]

VERSION = "2.3.0"
FORMAT = "flink-sql-parquet"
JOB = Path(__file__).with_name("flink_job.py")
JARS = Path(pyspark.__file__).parent / "jars"
HADOOP = ("hadoop-client-api-*.jar", "hadoop-client-runtime-*.jar", "jcl-over-slf4j-*.jar")
"""What Flink's Parquet format needs of Hadoop; Spark brings it along."""
PATIENCE = 600
"""Seconds for each step of the installation."""
NOTE = "difference of two jobs, state on the heap, no checkpoints"


def run(config: Config) -> Result:
    """The three jobs, and the difference of the last two."""
    tools = Path(config.tools).resolve()
    cold, short, whole = _seconds(config, install(tools), parquet_format(tools))
    if whole <= short:
        raise RuntimeError(f"{config.files} files took {whole:.1f} s and {config.warmup} took {short:.1f} s")
    data = Path(config.data)
    counts = [expected_results(data, files, config.windows) for files in (config.warmup, config.files)]
    per_file = pq.read_metadata(data_files(data, 0, 1)[0]).num_rows
    return Result(
        tuples=(config.files - config.warmup) * per_file,
        seconds=whole - short,
        results=counts[1] - counts[0],
        cold_seconds=cold,
        note=NOTE,
    )


def install(tools: Path) -> Path:
    """The Python of an environment that has Flink, made when it is missing."""
    folder = tools / f"flink-{VERSION}"
    python = folder / "bin" / "python"
    done = folder / "installed"
    if not done.exists():
        # With the running interpreter: Flink's own dependencies have wheels for 3.11, and not for much newer ones.
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True, timeout=PATIENCE)
        wanted = f"apache-flink=={VERSION}"
        pip = [python, "-m", "pip", "install", "--quiet", wanted]
        subprocess.run(pip, check=True, stdout=sys.stderr, timeout=PATIENCE)
        done.touch()
    return python


def parquet_format(tools: Path) -> Path:
    """Flink's Parquet format, which PyPI does not have; Maven brings it from where it is configured to."""
    jar = tools / f"{FORMAT}-{VERSION}.jar"
    if not jar.exists():
        artifact = f"org.apache.flink:{FORMAT}:{VERSION}"
        get = ["mvn", "--batch-mode", "--quiet", "dependency:get", f"-Dartifact={artifact}"]
        repository = tools / "maven"
        get += ["-Dtransitive=false", f"-Dmaven.repo.local={repository}"]
        subprocess.run(get, check=True, stdout=sys.stderr, timeout=PATIENCE)
        found = next(repository.rglob(jar.name))
        jar.hardlink_to(found)
    return jar


def _seconds(config: Config, python: Path, jar: Path) -> list[float]:
    data = Path(config.data)
    sources = [two_lanes(data, files).resolve() for files in (config.warmup, config.warmup, config.files)]
    given, answer = (config.folder / f"flink-{name}.json" for name in ("job", "seconds"))
    job = {
        "windows": [asdict(window) for window in config.windows],
        "aggregates": config.aggregates,
        "delay": DELAY,
        "parallelism": config.shards,
        "sources": [str(folder) for folder in sources],
    }
    given.write_text(json.dumps(job))
    jars = [str(path) for pattern in HADOOP for path in JARS.glob(pattern)]
    environment = {
        **os.environ,
        "HADOOP_CLASSPATH": os.pathsep.join([*jars, str(jar)]),
        "JVM_ARGS": f"-Xmx{config.memory}",
        "FLINK_LOG_DIR": str(config.folder.resolve()),
    }
    # Not in a group of its own: who ends this process ends Flink with it.
    subprocess.run([python, JOB, given, answer], check=True, env=environment, stdout=sys.stderr)
    seconds: list[float] = json.loads(answer.read_text())
    return seconds
