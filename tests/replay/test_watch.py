"""The verdict on a replay: what got no answer, and what is wrong with the requests that did get theirs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from gemtape.cassettes.answers import error_answer
from gemtape.cassettes.models import Exchange, Request
from gemtape.checks.config import parse_config
from gemtape.checks.finding import Severity
from gemtape.replay.answering import Options, Reply, Verdict
from gemtape.replay.configured import configured
from gemtape.replay.deck import Asked, Deck
from gemtape.replay.transport import ReplayTransport
from gemtape.replay.watch import FAIL_ON, Watch
from tests.chats import PATH as CHATS
from tests.chats import chat_exchange, whole
from tests.factories import (
    MODEL,
    SIGNATURE,
    answer_body,
    call,
    calls,
    cassette_of,
    exchange,
    model_text,
    result,
    results,
    sse,
    unary,
    user,
)

PATH = f"/v1beta/models/{MODEL}:generateContent"
QUESTION = user("Weather in Pune?")
SIGNED = calls(call("get_weather", {"city": "Pune"}, signature=SIGNATURE, id="c1"))
RESULT = results(result("get_weather", {"celsius": 31}, id="c1"))
FIRST = exchange([QUESTION], SIGNED)
SECOND = exchange([QUESTION, SIGNED, RESULT], model_text("31"), at=2)
ALTERED = calls(call("get_weather", {"city": "Pune"}, signature="EpwCCpkCAVSoYO4=", id="c1"))
UNSIGNED = calls(call("get_weather", {"city": "Pune"}, id="c1"))
MISSING_ID = results(result("get_weather", {"celsius": 31}))


class Played:
    """A cassette or a folder of them, played to requests one after the other."""

    def __init__(self, target: Path, options: Options) -> None:
        self.deck = Deck(target, options)
        self.watch = Watch(self.deck, options)
        self._client = httpx.Client(
            transport=ReplayTransport(self.deck, heard=self.watch.heard), base_url="http://x"
        )

    def ask(self, *items: Exchange | Request, prefix: str = "") -> list[int]:
        requests = [item.request if isinstance(item, Exchange) else item for item in items]
        return [self._ask(request, prefix) for request in requests]

    def _ask(self, request: Request, prefix: str) -> int:
        return self._client.request(
            request.method, prefix + request.path, content=request.body, headers=dict(request.headers)
        ).status_code

    @property
    def complaints(self) -> list[str]:
        return self.watch.complaints()


@contextmanager
def playing(target: Path, **table: Any) -> Iterator[Played]:
    played = Played(target, configured(parse_config(table, Path("gemtape.toml"))))
    try:
        yield played
    finally:
        played.deck.close()


def asking(*contents: Any) -> Exchange:
    """A request with the declarations of the recorded ones."""
    return exchange(list(contents), tools=json.loads(SECOND.request.body)["tools"])


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "run.db", [FIRST, SECOND])


def test_nothing_is_said_of_a_faithful_client(run: Path):
    with playing(run) as played:
        assert played.ask(FIRST, SECOND) == [200, 200]

    assert played.complaints == []
    assert played.watch.asked == 2
    assert not played.watch.fails(Severity.INFO)


def test_miss_is_explained(run: Path):
    with playing(run) as played:
        assert played.ask(FIRST, asking(user("Weather in Rome?"))) == [200, 412]

    [complaint] = played.complaints
    assert complaint.startswith(f"miss  request 2, POST {PATH}: The nearest recorded exchange is 1, ")
    assert 'recorded "Weather in Pune?", got "Weather in Rome?"' in complaint


def test_lost_value_of_an_answer_is_told_though_the_request_got_its_answer(run: Path):
    """What the match key leaves out: only who knows the answers can tell."""
    with playing(run) as played:
        assert played.ask(FIRST, asking(QUESTION, ALTERED, RESULT)) == [200, 200]

    [complaint] = played.complaints
    assert complaint.startswith(
        f"error  altered-signature at /contents/1/parts/0 of request 2, POST {PATH}: "
    )
    assert "exchange 1 issued" in complaint


def test_lost_value_in_a_chat_is_told_at_its_message(tmp_path: Path):
    def said(value: str) -> dict[str, Any]:
        made = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
        made["extra_content"] = {"google": {"thought_signature": value}}
        return {"role": "assistant", "tool_calls": [made]}

    asked = {"role": "user", "content": "Weather in Pune?"}
    answered = {"role": "tool", "tool_call_id": "c1", "content": "31"}
    first = chat_exchange([asked], whole(said(SIGNATURE)))
    second = chat_exchange([asked, said(SIGNATURE), answered], whole({"role": "assistant", "content": "31"}))
    with playing(cassette_of(tmp_path / "run.db", [first, second])) as played:
        assert played.ask(first, chat_exchange([asked, said("EpwCCpkCAVSoYO4="), answered])) == [200, 200]

    [complaint] = played.complaints
    assert complaint.startswith(
        f"error  altered-signature at /messages/1/tool_calls/0 of request 2, POST {CHATS}: "
    )


def test_refusal_is_told_once(run: Path):
    with playing(run) as played:
        assert played.ask(FIRST, asking(QUESTION, UNSIGNED, RESULT)) == [200, 400]

    [complaint] = played.complaints
    assert complaint.startswith(f"refused as the API would  request 2, POST {PATH}: missing-signature at ")


@pytest.mark.parametrize(
    ("asked", "fails"),
    [
        ([FIRST], set()),
        ([asking(user("?"))], {"warning", "error"}),
        ([FIRST, asking(QUESTION, UNSIGNED, RESULT)], {"warning", "error"}),
        ([FIRST, asking(QUESTION, ALTERED, RESULT)], {"warning", "error"}),
    ],
    ids=["hit", "miss", "refusal", "error"],
)
def test_what_fails_a_run(run: Path, asked: list[Exchange], fails: set[str]):
    with playing(run) as played:
        played.ask(*asked)

    assert {name for name, threshold in FAIL_ON.items() if played.watch.fails(threshold)} == fails


def test_violation_of_less_severity_is_told_only_on_request(run: Path):
    """Configured severities count."""
    with playing(run, severity={"altered-signature": "warning"}) as played:
        played.ask(FIRST, asking(QUESTION, ALTERED, RESULT))

    assert played.complaints == []
    assert not played.watch.fails(Severity.ERROR)
    assert played.watch.fails(Severity.WARNING)
    assert played.watch.count(Severity.WARNING) == 1
    assert [line.split()[0] for line in played.watch.complaints(Severity.WARNING)] == ["warning"]


def test_no_violation_is_told_where_none_can_fail(run: Path):
    with playing(run) as played:
        played.ask(FIRST, asking(QUESTION, ALTERED, RESULT), asking(user("?")))

    assert [line.split()[0] for line in played.watch.complaints(None)] == ["miss"]


def test_violation_that_stays_in_the_history_is_told_once(tmp_path: Path):
    """An agent sends it again at every step."""
    third = exchange(
        [*json.loads(SECOND.request.body)["contents"], model_text("31"), user("And Rome?")], SIGNED
    )
    contents = json.loads(third.request.body)["contents"]
    with playing(cassette_of(tmp_path / "run.db", [FIRST, SECOND, third])) as played:
        statuses = played.ask(
            FIRST, asking(QUESTION, ALTERED, RESULT), asking(QUESTION, ALTERED, *contents[2:])
        )

    assert statuses == [200, 200, 200]
    [complaint] = [line for line in played.complaints if "altered-signature" in line]
    assert "request 2, " in complaint
    assert complaint.endswith(" (again in 1 more)")


def test_ignored_rules_are_counted_and_no_more(run: Path):
    with playing(run, ignore=["altered-signature"]) as played:
        played.ask(FIRST, asking(QUESTION, ALTERED, RESULT))

    assert played.complaints == []
    assert played.watch.suppressed == 1


def test_rules_can_be_ignored_in_one_cassette_of_a_folder(tmp_path: Path):
    for name in ("old/one", "new"):
        cassette_of(tmp_path / f"{name}.db", [FIRST, SECOND])
    with playing(tmp_path, **{"per-cassette-ignore": {"old/*": ["altered-signature"]}}) as played:
        for prefix in ("/old/one", "/old/one/@second", "/new"):
            played.ask(FIRST, asking(QUESTION, ALTERED, RESULT), prefix=prefix)

    [complaint] = played.complaints
    assert " of request 2 in new, POST " in complaint


def test_sessions_are_conversations_of_their_own(run: Path):
    """What one of them was issued, the other was not."""
    with playing(run) as played:
        played.ask(FIRST, prefix="/@a")
        played.ask(asking(QUESTION, ALTERED, RESULT), prefix="/@b")
        played.ask(SECOND, prefix="/@a")

    assert played.complaints == []


def test_rewound_session_begins_anew(run: Path):
    with playing(run) as played:
        played.ask(FIRST, SECOND, Request("POST", "/_gemtape/reset"), FIRST, asking(user("?")))

    assert played.watch.asked == 4
    [complaint] = played.complaints
    assert complaint.startswith("miss  request 2, ")


def test_faults_of_the_recording_are_not_the_clients(tmp_path: Path):
    """A refusal that was recorded, and a call of what was never declared."""
    refused = exchange([user("a")], unary({"error": {"code": 400, "message": "no", "status": "?"}}, 400))
    undeclared = exchange([user("b")], SIGNED, tools=[])
    with playing(cassette_of(tmp_path / "run.db", [refused, undeclared])) as played:
        assert played.ask(refused, undeclared) == [400, 200]

    assert not played.watch.fails(Severity.WARNING)


def test_requests_that_generate_nothing_are_counted(tmp_path: Path):
    models = Exchange(Request("GET", "/v1beta/models"), unary({"models": []}))
    with playing(cassette_of(tmp_path / "run.db", [models])) as played:
        assert played.ask(models, Request("GET", "/")) == [200, 200]

    assert played.watch.verdicts == {Verdict.HIT: 1}


@pytest.mark.parametrize("body", [b"\xff", b'{"contents": {"parts": 7}}', b"[" * 5000])
def test_bodies_that_no_client_sends_are_misses(run: Path, body: bytes):
    with playing(run) as played:
        assert played.ask(Request("POST", PATH, body=body)) == [412]

    assert played.complaints[0].startswith("miss  request 1, ")


def test_cut_answer_is_judged_as_cut(tmp_path: Path):
    """What did not come whole need not come back."""
    cut = exchange([QUESTION], sse(answer_body(model_text("It is 31 deg")), cut=True))
    again = exchange([QUESTION, user("Hello?")], model_text("31"))
    with playing(cassette_of(tmp_path / "run.db", [cut, again])) as played:
        with pytest.raises(httpx.RemoteProtocolError):
            played.ask(cut)
        assert played.ask(again) == [200]

    assert played.complaints == []


def test_complaints_cannot_harm_a_terminal(run: Path):
    with playing(run) as played:
        played.ask(asking(user("\x1b[2J")))
        miss = Reply(error_answer(412, "x"), Verdict.MISS, 0, "\x1b[2J", "\x07")
        played.watch.heard(Asked("\x9bPOST", "/v1beta/\x7f", "", "", b""), miss)

    assert len(played.complaints) == 2
    assert all(line.isprintable() for line in played.complaints)


def test_long_lists_are_cut(run: Path, monkeypatch):
    monkeypatch.setattr("gemtape.checks.complaints._MOST", 2)
    with playing(run) as played:
        played.ask(*(asking(user(str(number))) for number in range(5)))

    assert len(played.complaints) == 3
    assert played.complaints[-1] == "and 3 more requests that got no recorded answer"


def test_violations_are_those_of_the_configured_rules(run: Path):
    with playing(run, select=["missing-id"]) as played:
        played.ask(FIRST, asking(QUESTION, ALTERED, MISSING_ID))

    assert [line.split()[1] for line in played.watch.complaints(Severity.INFO)] == ["missing-id"]


def test_rules_are_told_what_was_configured(run: Path):
    with playing(run, order=[{"call": "get_weather", "after": "ask_first"}]) as played:
        played.ask(FIRST, SECOND)

    [complaint] = played.complaints
    assert complaint.startswith("error  out-of-order-call at ")
