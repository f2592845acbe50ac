"""Python workers of an operator's own.

Spark lends idle Python workers to whatever task comes next, in the order in which they were handed back. A worker
remembers what it has built of a shard's state, and with the workers of other operators in the same pool a shard would
seldom meet a worker that knows it. Spark keeps a pool for each set of environment variables, so a variable names the
pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

__all__ = ["worker_pool"]

_VARIABLE = "WEFT_WORKER_POOL"


@contextmanager
def worker_pool(spark: SparkSession, name: str) -> Iterator[None]:
    """What is made of Python functions inside runs in workers of that pool."""
    environment = spark.sparkContext.environment
    environment[_VARIABLE] = name
    try:
        yield
    finally:
        del environment[_VARIABLE]
