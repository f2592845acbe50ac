"""The job of the Flink side: ``python flink_job.py <job.json> <seconds.json>``, with the Python that has Flink.

It imports nothing but the standard library and pyflink, since that Python has nothing else of this repository.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from pyflink.common import Configuration
from pyflink.table import EnvironmentSettings, TableEnvironment

SETTINGS = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "1 s",
    "table.exec.mini-batch.size": "5000",
    "table.optimizer.agg-phase-strategy": "TWO_PHASE",
    "table.local-time-zone": "UTC",
    # Many windows on one source need more buffers than the default gives.
    "taskmanager.memory.network.min": "256m",
    "taskmanager.memory.network.max": "256m",
    # Each of a hundred window aggregations needs a buffer of its own.
    "taskmanager.memory.managed.size": "2g",
    "jobmanager.rpc.address": "127.0.0.1",
    "jobmanager.bind-host": "127.0.0.1",
    "taskmanager.host": "127.0.0.1",
    "taskmanager.bind-host": "127.0.0.1",
    "rest.address": "127.0.0.1",
    "rest.bind-address": "127.0.0.1",
    "rest.bind-port": "0",
}


def main(given: str, answer: str) -> None:
    """Run over each source to its end and write how long each took."""
    job = json.loads(Path(given).read_text())
    configuration = Configuration()
    for name, value in SETTINGS.items():
        configuration.set_string(name, value)
    configuration.set_string("parallelism.default", str(job["parallelism"]))
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(configuration)
    tables = TableEnvironment.create(settings.build())
    tables.execute_sql(sink_of(job))
    seconds = [run(tables, job, source) for source in job["sources"]]
    Path(answer).write_text(json.dumps(seconds))


def run(tables: TableEnvironment, job: dict[str, Any], source: str) -> float:
    """Run over one source; the job's own seconds, without those of planning it."""
    tables.execute_sql("DROP TABLE IF EXISTS tuples")
    tables.execute_sql(stream_of(job, source))
    every = tables.create_statement_set()
    for number in range(len(job["windows"])):
        every.add_insert_sql(insert_of(job, number))
    began = time.monotonic()
    result = every.execute()
    planned = time.monotonic() - began
    ended = result.get_job_client().get_job_execution_result().result()
    seconds = ended.get_net_runtime() / 1_000
    print(f"planned in {planned:.1f} s, ran for {seconds:.1f} s", flush=True)
    return seconds


def stream_of(job: dict[str, Any], source: str) -> str:
    """The stream."""
    return f"""CREATE TABLE tuples (
        ts TIMESTAMP(3), `key` STRING, price DOUBLE, size BIGINT,
        WATERMARK FOR ts AS ts - INTERVAL '{job["delay"]}' SECOND
    ) WITH ('connector' = 'filesystem', 'path' = 'file://{source}', 'format' = 'parquet')"""


def sink_of(job: dict[str, Any]) -> str:
    """The sink."""
    measured = ", ".join(f"v{place} {_type(*pair)}" for place, pair in enumerate(job["aggregates"]))
    return f"""CREATE TABLE results (
        query INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), `key` STRING, {measured}
    ) WITH ('connector' = '{job.get("sink", "blackhole")}')"""


def insert_of(job: dict[str, Any], number: int) -> str:
    """A query over one of the windows."""
    window = job["windows"][number]
    slide, length = (
        f"INTERVAL '{window[name]}' SECOND({len(str(window[name]))})" for name in ("slide", "range")
    )
    answers = ", ".join(f"{function}(`{column}`)" for function, column in job["aggregates"])
    return f"""INSERT INTO results SELECT {number}, window_start, window_end, `key`, {answers}
        FROM TABLE(HOP(TABLE tuples, DESCRIPTOR(ts), {slide}, {length}))
        GROUP BY window_start, window_end, `key`"""


def _type(function: str, column: str) -> str:
    return "DOUBLE" if column == "price" or function == "avg" else "BIGINT"


if __name__ == "__main__":
    main(*sys.argv[1:])
