"""One Spark session for all tests of this folder, with the settings of a job's own session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from planner_spark.session import start_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = start_session("tests", master="local[2]", shards=2, conf={"spark.driver.memory": "3g"})
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
