"""The driver: runs one generation of a stream's job until it is finished, stopped or broken."""

from __future__ import annotations

import json
import logging
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener
from pyspark.sql.streaming.query import StreamingQuery

from planner_spark.admission import Admission, admit
from planner_spark.checkpoint import committed_watermark
from planner_spark.compile import compile_job
from planner_spark.errors import JobError, in_short
from planner_spark.heartbeat import CLOSING, write_heartbeat
from planner_spark.home import Home
from planner_spark.idleness import Idleness
from planner_spark.lease import Lease
from planner_spark.lock import hold_lock, note_holder
from planner_spark.progress import after_batch
from planner_spark.session import start_session
from planner_spark.sinks.housekeeping import Housekeeping
from planner_spark.sinks.parquet import ParquetSink
from planner_spark.spec import JobSpec
from planner_spark.status import StatusFile
from planner_spark.work import added, output_share

__all__ = ["run_job", "stream_job"]

log = logging.getLogger(__name__)
_SECOND = 1_000_000
_MILLI = 1_000


def run_job(spec: JobSpec) -> int:
    """Run the job; the exit code tells the supervisor how it ended (`planner_spark.errors`)."""
    home = Home.of(spec)
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _signal, _frame: stopping.set())
    hold_lock(home.lock_file)
    note_holder(home.holder_file, jvm_pid=None)
    status = StatusFile(home.status_file, epoch=spec.epoch, generation=spec.generation)
    try:
        admission = admit(home, spec)
        spark = start_session(spec.stream.name, master=spec.master, shards=spec.shards, conf=spec.spark_conf)
        note_holder(home.holder_file, jvm_pid=_jvm_pid(spark))
        try:
            finished = stream_job(spark, spec, home, admission, status, stopping)
        finally:
            spark.stop()
    except Exception as error:
        code = error.code if isinstance(error, JobError) else JobError.code
        status.change(state="failed", error=in_short(error), error_code=code)
        log.exception("the job failed")
        return error.exit_code if isinstance(error, JobError) else JobError.exit_code
    status.change(state="finished" if finished else "stopped", input_rows_per_second=0.0)
    return 0


def stream_job(
    spark: SparkSession,
    spec: JobSpec,
    home: Home,
    admission: Admission,
    status: StatusFile,
    stopping: threading.Event,
) -> bool:
    """Run until the end of a bounded source (True) or until told to stop (False)."""
    sink = ParquetSink(
        home.results,
        Housekeeping(
            retain_age=None if spec.retain_age is None else spec.retain_age / _SECOND,
            retain_bytes=spec.retain_bytes,
        ),
        watermark=lambda: status.status.watermark,
    )
    status.change(results=sink.manifest.rows_ever)
    listener = _Listener(status, sink, workers=min(spec.shards, spark.sparkContext.defaultParallelism))
    spark.streams.addListener(listener)
    query = (
        compile_job(spark, spec, admission)
        .writeStream.outputMode("append")
        .option("checkpointLocation", str(home.checkpoint))
        .trigger(processingTime=f"{0 if spec.stream.bounded else spec.trigger // 1_000} milliseconds")
        .foreachBatch(sink)
        .start()
    )
    status.change(state="running")
    try:
        if spec.stream.bounded:
            return _to_the_end(query, spec, home, stopping)
        _until_stopped(query, spec, home, status, stopping)
        return False
    finally:
        if query.isActive:
            status.change(state="stopping")
            query.stop()
        # Progress is told by another thread; the last batch counts too.
        listener.ended.wait(timeout=10)
        spark.streams.removeListener(listener)


def _to_the_end(query: StreamingQuery, spec: JobSpec, home: Home, stopping: threading.Event) -> bool:
    """Consume all there is; only then may the closing heartbeat be written, which ends every window.

    That all is consumed Spark tells; that the batch without data which answers the last windows is committed too, it
    does not wait for: the checkpoint shows it, also after a restart.
    """
    with ThreadPoolExecutor(1) as pool:
        consumed = pool.submit(query.processAllAvailable)
        while not consumed.done():
            if stopping.wait(0.1):
                query.stop()
                return False
        _raise_if_failed(query)
        consumed.result()
    write_heartbeat(home.control, "closing", CLOSING)
    closed = (CLOSING - spec.stream.watermark) // _MILLI
    while (committed_watermark(home.checkpoint) or 0) < closed:
        _raise_if_failed(query)
        if stopping.wait(0.05):
            return False
    return True


def _until_stopped(
    query: StreamingQuery,
    spec: JobSpec,
    home: Home,
    status: StatusFile,
    stopping: threading.Event,
) -> None:
    lease = Lease(Path(spec.lease)) if spec.lease is not None else None
    idle = Idleness(spec.stream.idle_heartbeat) if spec.stream.idle_heartbeat is not None else None
    while not stopping.wait(0.2):
        _raise_if_failed(query)
        if lease is not None and lease.has_run_out():
            log.warning("the service has not been heard of for a minute: stopping")
            return
        beat = idle.beat(query.status, status.status) if idle is not None else None
        if beat is not None:
            write_heartbeat(home.control, f"idle-{beat}", beat)


def _raise_if_failed(query: StreamingQuery) -> None:
    failure = query.exception()
    if failure is not None:
        raise failure


class _Listener(StreamingQueryListener):
    """Keeps the status up to date."""

    def __init__(self, status: StatusFile, sink: ParquetSink, *, workers: int) -> None:
        self._status = status
        self._sink = sink
        self._workers = workers
        self.ended = threading.Event()

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Nothing to say."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Take over what the batch did."""
        progress = json.loads(event.progress.json)
        changes = after_batch(self._status.status, progress)
        report = added(self._sink.reports.popleft() for _ in range(len(self._sink.reports)))
        if report:
            seconds = progress["durationMs"].get("addBatch", 0) / 1_000
            changes["work"] = added([self._status.status.work, report])
            changes["output_share"] = output_share(report, seconds=seconds, workers=self._workers)
        self._status.change(**changes, results=self._sink.manifest.rows_ever)

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """No tuples came."""
        self._status.change(input_rows_per_second=0.0)

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """The last word of a query: all its progress has been told."""
        self.ended.set()


def _jvm_pid(spark: SparkSession) -> int | None:
    gateway = spark.sparkContext._gateway
    process = getattr(gateway, "proc", None)
    return process.pid if process is not None else None
