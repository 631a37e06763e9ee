"""The fixture of one test without pytest around it: played, recorded and live."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.checks.config import Config
from gemtape.replay.answering import Options
from gemtape.replay.fixture import GOOGLE, Case, Gemtape, Recorded, Replayed
from gemtape.replay.outcomes import LIVE, RECORD, REPLAY, Outcome
from gemtape.replay.server import Server
from gemtape.replay.shelf import Shelf
from tests.factories import SIGNATURE, call, calls, cassette_of, exchange, model_text, result, results, user

HELLO = exchange([user("hello")], model_text("hi"))
OTHER = exchange([user("other")], model_text("there"))
UNSIGNED = exchange([user("a"), calls(call("f")), results(result("f", {}))], model_text("done"), at=2)
SIGNING = exchange([user("a")], calls(call("f", signature=SIGNATURE)))
SHOWN = "cassettes/test_a/test_x.db"


@pytest.fixture
def server():
    with Server(Shelf()) as running:
        yield running


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case("test_a.py::test_x[a b]", tmp_path / SHOWN, SHOWN)


def play(case: Case, server: Server[Shelf], *exchanges: Exchange) -> Replayed:
    if exchanges:
        cassette_of(case.cassette, exchanges)
    return Replayed(case, Options(), server.deck, server.url)


def ask(tape: Gemtape, *items: Exchange) -> list[int]:
    with httpx.Client(base_url=tape.base_url, transport=tape.transport(), trust_env=False) as client:
        return [client.post(item.request.path, content=item.request.body).status_code for item in items]


def test_replayed_test_is_served_over_http_and_without_a_socket(case: Case, server: Server[Shelf]):
    """From one cassette, with one verdict."""
    tape = play(case, server, HELLO, OTHER)
    over_http = httpx.post(tape.base_url + HELLO.request.path, content=HELLO.request.body, trust_env=False)

    assert over_http.status_code == 200
    assert tape.unused() == f"gemtape: not asked for in {SHOWN}: exchange 2"
    assert ask(tape, OTHER) == [200]
    assert (tape.explanation(), tape.unused()) == ("", "")
    assert tape.close(passed=True) == Outcome(case.name, REPLAY, SHOWN, exchanges=2, asked=2)


def test_replayed_test_shows_its_exchanges_and_its_variables(case: Case, server: Server[Shelf]):
    tape = play(case, server, HELLO, OTHER)
    tape.close(passed=True)

    assert [item.request.json["contents"] for item in tape.exchanges] == [[user("hello")], [user("other")]]
    assert tape.variables({})["GOOGLE_GEMINI_BASE_URL"] == tape.base_url
    assert tape.variables({})["GEMINI_API_KEY"]


def test_misses_are_explained_with_the_command_that_records_the_test(case: Case, server: Server[Shelf]):
    tape = play(case, server, HELLO)
    ask(tape, exchange([user("hullo")]), exchange([user("hallo")]))
    head, *paragraphs = tape.explanation().split("\n\n")
    tape.close(passed=False)

    assert head == f"gemtape: 2 requests, 2 misses; {SHOWN}"
    assert len(paragraphs) == 2
    assert all(text.endswith("pytest --gemtape=record 'test_a.py::test_x[a b]'") for text in paragraphs)


def test_closed_test_is_served_no_more(case: Case, server: Server[Shelf]):
    tape = play(case, server, HELLO)
    tape.close(passed=True)

    answer = httpx.post(tape.base_url + HELLO.request.path, content=HELLO.request.body, trust_env=False)
    assert answer.status_code == 412
    assert server.deck.lost == 1


def test_test_without_a_cassette_has_a_problem_and_no_answers(case: Case, server: Server[Shelf]):
    tape = play(case, server)

    assert tape.problem == f"gemtape: there is no cassette {SHOWN}. To record it: {case.recording}"
    answer = httpx.post(tape.base_url + HELLO.request.path, content=HELLO.request.body, trust_env=False)
    assert answer.status_code == 412
    assert (tape.explanation(), tape.unused(), tape.close(passed=False)) == ("", "", None)


def test_recorded_test_is_kept_when_it_passed(case: Case, tmp_path: Path):
    source = tmp_path / "t1.db"
    tape = Recorded(case, Config(), source, "http://127.0.0.1:9/t1")

    assert (tape.exchanges, tape.transport(), tape.explanation()) == ([], None, "")
    assert "GEMINI_API_KEY" not in tape.variables({})
    assert tape.variables({})["GOOGLE_GEMINI_BASE_URL"] == "http://127.0.0.1:9/t1"
    cassette_of(source, [HELLO])
    assert len(tape.exchanges) == 1
    assert tape.close(passed=True) == Outcome(case.name, RECORD, SHOWN, exchanges=1, kept=True)
    with Cassette.read(case.cassette) as kept:
        assert len(kept) == 1


def test_recorded_test_that_failed_is_not_kept(case: Case, tmp_path: Path):
    tape = Recorded(case, Config(), cassette_of(tmp_path / "t1.db", [HELLO]), "http://127.0.0.1:9/t1")

    assert tape.close(passed=False) == Outcome(case.name, RECORD, SHOWN)
    tape.complete()
    assert not case.cassette.exists()


def test_errors_in_a_recording_are_explained(case: Case, tmp_path: Path):
    tape = Recorded(case, Config(), cassette_of(tmp_path / "t1.db", [SIGNING, UNSIGNED]), "")
    head, paragraph = tape.explanation().split("\n\n")

    assert head == f"gemtape: 2 requests, 1 error; {SHOWN}"
    assert paragraph.startswith("error  missing-signature at /contents/1/parts/0 of exchange 2: ")


@pytest.mark.parametrize("late", [0, 1])
def test_what_is_recorded_late_completes_the_cassette(case: Case, tmp_path: Path, late: int):
    with Cassette.create(tmp_path / "t1.db") as recorder:
        tape = Recorded(case, Config(), tmp_path / "t1.db", "")
        recorder.add(HELLO)
        tape.close(passed=True)
        before = case.cassette.stat().st_ino
        for _ in range(late):
            recorder.add(OTHER)
        tape.complete()

    with Cassette.read(case.cassette) as kept:
        assert len(kept) == 1 + late
    assert (case.cassette.stat().st_ino == before) is not bool(late), "written without need"


def test_live_test_is_left_alone(case: Case):
    tape = Gemtape(case)

    assert (tape.base_url, tape.mode, tape.problem) == (GOOGLE, LIVE, "")
    assert (tape.variables({}), tape.exchanges, tape.transport()) == ({}, [], None)
    assert (tape.explanation(), tape.unused()) == ("", "")
    assert tape.close(passed=True) == Outcome(case.name, LIVE, SHOWN)
