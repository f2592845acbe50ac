"""Counting what the service does, for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["RequestMetrics", "WorkloadCollector"]


class RequestMetrics:
    """Count and time the requests by route template, so that the number of series stays small."""

    def __init__(self, app: ASGIApp, *, registry: CollectorRegistry) -> None:
        self.app = app
        labels = ("method", "route", "status")
        self.requests = Counter("weft_http_requests", "Requests answered.", labels, registry=registry)
        self.seconds = Histogram(
            "weft_http_request_seconds", "Time to the first byte.", ("method", "route"), registry=registry
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        begin = time.perf_counter()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "none")
                method = scope["method"] if route != "none" else "any"
                self.requests.labels(method, route, str(message["status"])).inc()
                self.seconds.labels(method, route).observe(time.perf_counter() - begin)
            await send(message)

        return await self.app(scope, receive, counted)


class WorkloadCollector(Collector):
    """The number of streams and of registered queries, counted when Prometheus asks."""

    def __init__(self, count: Callable[[], tuple[int, int]]) -> None:
        self._count = count

    def collect(self) -> Iterator[Metric]:
        streams, queries = self._count()
        yield GaugeMetricFamily("weft_streams", "Streams that are defined.", value=streams)
        yield GaugeMetricFamily("weft_queries", "Queries that are registered.", value=queries)
