"""The fixture of one test with `--gemtape=new`, without pytest around it: what it says, and what becomes of its cassette."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gemtape.cassettes.errors import CassetteBusy, CassetteError, SetupError
from gemtape.cassettes.models import Exchange
from gemtape.cassettes.naming import status_file
from gemtape.checks.config import Config
from gemtape.replay.fixture import Case
from gemtape.replay.keeping import recorded
from gemtape.replay.mixed import Mixed
from gemtape.replay.outcomes import NEW, Outcome
from gemtape.replay.recorder import Recorder
from tests.factories import answer_body, cassette_of, exchange, model_text, user
from tests.upstream import Upstream, unary

HELLO = exchange([user("hello")], model_text("hi"))
OTHER = exchange([user("other")], model_text("there"))
SHOWN = "cassettes/test_a/test_x.db"


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with Upstream(unary(json.dumps(answer_body(model_text("live"))).encode())) as upstream:
        running = Recorder(upstream=upstream.url, more=["--mode", "new", "--status"])
        yield running
        running.stop()


class Bench:
    """Tests that are played and recorded, one after the other."""

    def __init__(self, recorder: Recorder, folder: Path) -> None:
        self.case = Case("test_a.py::test_x", folder / SHOWN, SHOWN)
        self._recorder = recorder
        self._name = folder.name
        self._count = 0

    def open(self) -> Mixed:
        self._count += 1
        name = f"{self._name}-{self._count}"
        source, url = self._recorder.cassette(name), f"{self._recorder.url}/{name}"
        return Mixed(self.case, Config(), source, url)


@pytest.fixture
def bench(recorder: Recorder, tmp_path: Path) -> Bench:
    return Bench(recorder, tmp_path)


def ask(tape: Mixed, *items: Exchange) -> list[str]:
    with httpx.Client(base_url=tape.base_url, trust_env=False, timeout=20) as client:
        answers = [client.post(item.request.path, content=item.request.body) for item in items]
    return [answer.json()["candidates"][0]["content"]["parts"][0]["text"] for answer in answers]


def test_cassette_answers_and_grows_by_what_is_new(bench: Bench):
    cassette_of(bench.case.cassette, [HELLO])
    tape = bench.open()

    assert ask(tape, HELLO, OTHER) == ["hi", "live"]
    assert len(tape.exchanges) == 2
    assert tape.explanation() == tape.unused() == ""
    assert len(recorded(bench.case.cassette)) == 1
    assert tape.close(passed=True) == Outcome(
        bench.case.name, NEW, SHOWN, exchanges=1, asked=2, recorded=1, kept=True
    )
    assert len(recorded(bench.case.cassette)) == 2
    assert ask(bench.open(), OTHER) == ["live"]


def test_test_that_asks_nothing_new_leaves_its_cassette_as_it_is(bench: Bench):
    before = cassette_of(bench.case.cassette, [HELLO, OTHER]).read_bytes()
    tape = bench.open()
    ask(tape, HELLO)

    assert tape.unused() == f"gemtape: not asked for in {SHOWN}: exchange 2"
    assert tape.close(passed=True).unused == (2,)
    assert bench.case.cassette.read_bytes() == before


def test_what_a_test_recorded_that_did_not_pass_is_gone(bench: Bench):
    tape = bench.open()
    ask(tape, HELLO)

    assert tape.close(passed=False) == Outcome(bench.case.name, NEW, SHOWN, asked=1, recorded=1)
    tape.complete()
    assert not bench.case.cassette.exists()


def test_missing_cassette_is_made_even_for_no_request(bench: Bench):
    assert bench.open().close(passed=True).kept
    assert recorded(bench.case.cassette) == []


def test_key_is_made_up_only_where_the_cassette_may_hold_all(bench: Bench):
    assert "GEMINI_API_KEY" not in bench.open().variables({})
    cassette_of(bench.case.cassette, [HELLO])
    assert "GEMINI_API_KEY" in bench.open().variables({})


def test_what_is_stored_after_the_test_is_added(bench: Bench):
    tape = bench.open()
    tape.close(passed=True)
    ask(tape, HELLO)
    tape.complete()
    tape.complete()

    assert len(recorded(bench.case.cassette)) == 1


def test_recording_does_not_overwrite_what_another_run_added(bench: Bench):
    cassette_of(bench.case.cassette, [HELLO])
    tapes = [bench.open() for _ in range(2)]
    for tape in tapes:
        ask(tape, OTHER)
    tapes[0].close(passed=True)

    with pytest.raises(CassetteBusy):
        tapes[1].close(passed=True)
    assert len(recorded(bench.case.cassette)) == 2


def test_damaged_cassette_is_said(bench: Bench):
    bench.case.cassette.parent.mkdir(parents=True)
    bench.case.cassette.write_text("no cassette")

    with pytest.raises(CassetteError, match="not a cassette"):
        bench.open()


def test_what_the_recorder_tells_is_said_to_be_unreadable(bench: Bench, tmp_path: Path):
    source = tmp_path / "t1.db"
    status_file(source).write_text("{")

    with pytest.raises(SetupError, match="cannot be read"):
        Mixed(bench.case, Config(), source, "http://127.0.0.1:9/t1").explanation()
