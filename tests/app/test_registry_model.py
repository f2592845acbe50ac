"""The registry behaves as a dictionary would, on SQLite and on PostgreSQL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from app.errors import ApiError
from app.jobs.automaton import Observation
from app.persistence.database import Database
from app.queries.schemas import SpecIn
from app.queries.service import QueryService
from app.settings import Settings
from app.streams.activity import Activity
from app.streams.schemas import StreamIn
from app.streams.service import StreamService
from optimizer.errors import InvalidInput

STREAMS = st.sampled_from(["a", "b"])
IDS = st.sampled_from([f"q{i}" for i in range(6)])
RANGES = st.sampled_from(["10s", "20s", "1m"])
FUNCTIONS = st.sampled_from(["count", "sum"])
BODIES = st.builds(
    lambda stream, length, function: {
        "stream": stream,
        "aggregates": [{"function": function, "column": "value", "as": "x"}],
        "window": {"range": length, "slide": "10s"},
    },
    STREAMS,
    RANGES,
    FUNCTIONS,
)


def meaning(query: dict) -> tuple:
    return query["stream"], query["aggregates"][0]["function"], query["window"]["range"]


class Registry(RuleBasedStateMachine):
    """Drives the services and a dictionary with the same calls and compares the answers."""

    def __init__(self, database: Database, settings: Settings) -> None:
        super().__init__()
        self.streams = StreamService(database, settings, Activity(settings, lambda _: Observation()))
        self.queries = QueryService(database)
        for name in ("a", "b"):
            try:
                self.streams.remove(name, cascade=True)
            except ApiError:
                continue
        self.model: dict[str, dict[str, tuple]] = {}
        self.numbers: dict[tuple, int] = {}
        self.incarnations: set[str] = set()

    def everything(self) -> dict[str, tuple]:
        return {key: value for part in self.model.values() for key, value in part.items()}

    @rule(name=STREAMS)
    def define(self, name):
        _, created = self.streams.put(name, StreamIn.model_validate({"source": {"kind": "synthetic"}}))
        assert created == (name not in self.model)
        self.model.setdefault(name, {})

    @rule(name=STREAMS, cascade=st.booleans())
    def undefine(self, name, cascade):
        if name not in self.model:
            expected = "stream_not_found"
        else:
            expected = None if cascade or not self.model[name] else "stream_in_use"
        assert code_of(lambda: self.streams.remove(name, cascade=cascade)) == expected
        if expected is None:
            del self.model[name]
            self.numbers = {k: v for k, v in self.numbers.items() if k[0] != name}

    @rule(ids=st.lists(IDS, min_size=1, max_size=4), bodies=st.lists(BODIES, min_size=4, max_size=4))
    def register(self, ids, bodies):
        wanted = [(key, {**body, "id": key}) for key, body in zip(ids, bodies, strict=False)]
        there = self.everything()
        expected = None
        for key, body in wanted:
            if body["stream"] not in self.model or there.setdefault(key, meaning(body)) != meaning(body):
                expected = "invalid_input"
        specs = [SpecIn.model_validate(body) for _, body in wanted]
        assert code_of(lambda: self.check(self.queries.register_all(specs).items)) == expected
        if expected is None:
            for key, body in wanted:
                self.model[body["stream"]][key] = meaning(body)

    @rule(key=IDS, body=BODIES)
    def replace(self, key, body):
        expected = None if body["stream"] in self.model else "invalid"
        before = self.everything().get(key)

        def call() -> None:
            done = self.queries.replace(key, SpecIn.model_validate(body))
            assert bool(done.created) == (before is None)
            self.check(done.items)

        assert code_of(call) == expected
        if expected is None:
            for part in self.model.values():
                part.pop(key, None)
            self.model[body["stream"]][key] = meaning(body)

    @rule(key=IDS)
    def remove(self, key):
        known = key in self.everything()
        assert code_of(lambda: self.queries.remove(key)) == (None if known else "query_not_found")
        for part in self.model.values():
            part.pop(key, None)

    @invariant()
    def lists_are_what_was_registered(self):
        pages, after = [], None
        while found := self.queries.page(stream=None, after=after, limit=3):
            pages += found
            after = found[-1]["id"]
        assert {q["id"]: meaning(q) for q in pages} == self.everything()
        assert [q["id"] for q in pages] == sorted(self.everything())
        counts = {s["name"]: s["queries"] for s in self.streams.page(after=None, limit=10)}
        assert counts == {name: len(part) for name, part in self.model.items()}

    def check(self, queries: list[dict]) -> None:
        """Equal computations have equal numbers, and unlike ones never share one."""
        for query in queries:
            number = self.numbers.setdefault(meaning(query), query["canonical"])
            assert number == query["canonical"]
        assert len(set(self.numbers.values())) == len(self.numbers)


def code_of(call) -> str | None:
    """The code of the error that a call ends in."""
    try:
        call()
    except ApiError as error:
        return error.code
    except InvalidInput:
        return "invalid"
    return None


def test_the_registry_behaves_as_a_dictionary(database, settings):
    run_state_machine_as_test(
        lambda: Registry(database, settings),
        settings=hypothesis_settings(
            max_examples=40,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
        ),
    )


@pytest.mark.parametrize("streams", [["a"] * 12, ["a", "b"] * 6])
def test_one_of_many_simultaneous_registrations_wins(database, settings, streams):
    service = StreamService(database, settings, Activity(settings, lambda _: Observation()))
    for name in set(streams):
        service.put(name, StreamIn.model_validate({"source": {"kind": "synthetic"}}))
    queries = QueryService(database)

    def register(numbered: tuple[int, str]) -> str:
        position, stream = numbered
        body = {
            "id": "one",
            "stream": stream,
            "aggregates": [{"function": "count"}],
            "window": {"range": f"{1 + position % 3}m"},
        }
        try:
            return "created" if queries.register(SpecIn.model_validate(body)).created else "same"
        except ApiError as error:
            return error.code

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(register, enumerate(streams)))
    assert outcomes.count("created") == 1
    assert set(outcomes) <= {"created", "same", "query_exists"}


def test_ids_sort_by_their_bytes_on_every_database(database, settings):
    StreamService(database, settings, Activity(settings, lambda _: Observation())).put(
        "a", StreamIn.model_validate({"source": {"kind": "rate"}})
    )
    queries = QueryService(database)
    ids = ["B", "a", "A", "b", "1", "a.b", "a-b", "a_b", "ab"]
    body = {"stream": "a", "aggregates": [{"function": "count"}], "window": {"range": "1m"}}
    queries.register_all([SpecIn.model_validate({**body, "id": key}) for key in ids])
    found = queries.page(stream="a", after=None, limit=100)
    assert [q["id"] for q in found] == sorted(ids)
