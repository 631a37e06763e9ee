"""From a request as it comes in to a cassette: prefixes, sessions, gemtape's own paths, and the ways to go astray."""

from __future__ import annotations

import json
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gemtape.cassettes.errors import CassetteMissing
from gemtape.cassettes.lookup import Repeat
from gemtape.cassettes.models import Exchange, Request
from gemtape.replay import deck as module
from gemtape.replay.answering import Options, Reply, Verdict
from gemtape.replay.deck import OPEN_AT_MOST, Asked, Deck
from tests.factories import MODEL, cassette_of, exchange, model_text, unary, user
from tests.strategies import BODIES, HOSTILE

PATH = f"/v1beta/models/{MODEL}:generateContent"
HELLO = exchange([user("hello")], model_text("hi"))
AGAIN = exchange([user("hello")], model_text("hi again"))


def asked(item: Exchange = HELLO, prefix: str = "", **more: Any) -> Asked:
    request = item.request
    return Asked(
        request.method, prefix + request.path, request.query, "application/json", request.body
    )._replace(**more)


def ask(deck: Deck, what: Asked, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    return deck.answer(what, lambda: Request(what.method, what.path, what.query, headers, what.body))


def body(reply: Reply) -> Any:
    return orjson.loads(b"".join(chunk.data for chunk in reply.answer.chunks))


def text(reply: Reply) -> str:
    return body(reply)["candidates"][0]["content"]["parts"][0]["text"]


@pytest.fixture
def file(tmp_path: Path):
    deck = Deck(cassette_of(tmp_path / "run.db", [HELLO, AGAIN]))
    yield deck
    deck.close()


@pytest.fixture
def folder(tmp_path: Path):
    cassette_of(tmp_path / "tapes/refunds/happy.db", [HELLO])
    cassette_of(tmp_path / "tapes/plain.db", [AGAIN])
    deck = Deck(tmp_path / "tapes")
    yield deck
    deck.close()


@pytest.mark.parametrize("prefix", ["", "/some", "/some/prefix", "/.."])
def test_with_a_file_a_prefix_takes_no_part(file: Deck, prefix: str):
    assert text(ask(file, asked(prefix=prefix))) == "hi"


def test_last_segment_of_the_prefix_is_a_session(file: Deck):
    texts = [text(ask(file, asked(prefix=prefix))) for prefix in ("/@a", "/x/@a", "/@b", "", "/x")]

    assert texts == ["hi", "hi again", "hi", "hi", "hi again"]


def test_prefix_selects_the_cassette_of_a_folder(folder: Deck):
    assert text(ask(folder, asked(prefix="/refunds/happy"))) == "hi"
    assert text(ask(folder, asked(prefix="/plain"))) == "hi again"
    assert text(ask(folder, asked(prefix="/plain.db"))) == "hi again"


def test_reply_is_labelled_with_cassette_and_session(folder: Deck, file: Deck):
    labels = [ask(folder, asked(prefix=prefix)).label for prefix in ("/refunds/happy", "/plain/@one")]

    assert labels == ["refunds/happy", "plain/@one"]
    assert [ask(file, asked(prefix=prefix)).label for prefix in ("", "/x", "/@one")] == ["", "", "@one"]


def test_same_cassette_under_two_spellings_is_one(folder: Deck):
    verdicts = [ask(folder, asked(prefix=prefix)).verdict for prefix in ("/plain", "/pl%61in", "/plain.db")]

    assert verdicts == [Verdict.HIT, Verdict.REPEAT, Verdict.REPEAT]


def test_missing_cassette_is_a_miss_that_says_how_to_record_it(folder: Deck):
    reply = ask(folder, asked(prefix="/refunds/sad"))

    assert (reply.verdict, reply.answer.status, folder.lost) == (Verdict.MISS, 412, 1)
    assert body(reply)["error"]["message"] == (
        f"gemtape: there is no cassette {folder.target / 'refunds/sad.db'}. "
        f"To record it: gemtape record {folder.target}/ (and a base URL that ends in /refunds/sad)"
    )


@pytest.mark.parametrize(
    ("prefix", "words"),
    [
        ("", "no cassette is named"),
        ("/..", "cannot name a cassette"),
        ("/%2e%2e/plain", "cannot name a cassette"),
        ("/@run/plain", "cannot name a cassette"),
        ("/a//b", "an empty part"),
    ],
)
def test_prefix_that_cannot_name_a_cassette_is_a_miss(folder: Deck, prefix: str, words: str):
    reply = ask(folder, asked(prefix=prefix))

    assert (reply.verdict, reply.answer.status) == (Verdict.MISS, 412)
    assert words in body(reply)["error"]["message"]


def test_file_in_the_folder_that_is_no_cassette_is_a_miss(folder: Deck):
    (folder.target / "broken.db").write_text("something else")

    reply = ask(folder, asked(prefix="/broken"))

    assert (reply.verdict, reply.answer.status) == (Verdict.MISS, 412)
    assert "broken.db is not a cassette" in body(reply)["error"]["message"]


@pytest.mark.parametrize("target", ["absent/", "absent.db"])
def test_target_that_is_not_there_is_said_at_once(tmp_path: Path, target: str):
    with pytest.raises(CassetteMissing):
        Deck(f"{tmp_path}/{target}")


@pytest.mark.parametrize("prefix", ["", "/refunds"])
def test_bare_post_gets_its_own_explanation(file: Deck, folder: Deck, prefix: str):
    """The trap of Vertex chosen by environment: a POST to the very base URL."""
    for deck in (file, folder):
        what = asked()._replace(path=prefix or "/")
        reply = ask(deck, what)

        assert reply.answer.status == 412
        assert "GOOGLE_GENAI_USE_VERTEXAI" in body(reply)["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "headers", "words"),
    [
        ("GET", "/refunds", (), "where that of Google would stand"),
        ("POST", "/", (), "where that of Google would stand"),
        ("GET", "/", (("x-goog-api-client", "google-genai-sdk/3.6.1"),), "GOOGLE_GENAI_USE_VERTEXAI"),
        ("POST", "/chat/completions", (), "/v1beta/openai"),
        ("POST", "/refunds/interactions", (), "end in a version"),
    ],
)
def test_path_without_an_api_is_explained(
    file: Deck, folder: Deck, method: str, path: str, headers: tuple[tuple[str, str], ...], words: str
):
    for deck in (file, folder):
        reply = ask(deck, Asked(method, path, "", "", b""), headers)

        assert (reply.answer.status, reply.verdict) == (412, Verdict.MISS)
        assert words in body(reply)["error"]["message"]


def test_websocket_is_refused_in_one_line(file: Deck):
    reply = ask(file, Asked("GET", "/v1beta/models", "", "", b""), (("Upgrade", "websocket"),))
    live = ask(
        file,
        Asked(
            "GET",
            "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent",
            "",
            "",
            b"",
        ),
    )

    for refused in (reply, live):
        assert refused.answer.status == 501
        assert "WebSocket" in body(refused)["error"]["message"]


def test_upgrade_is_looked_at_even_where_the_request_is_known(tmp_path: Path):
    got = Exchange(Request("GET", "/v1beta/models"), HELLO.response)
    deck = Deck(cassette_of(tmp_path / "run.db", [got]))
    plain = Asked("GET", "/v1beta/models", "", "", b"")

    statuses = [
        ask(deck, plain).answer.status,
        ask(deck, plain, (("upgrade", "WebSocket"),)).answer.status,
        ask(deck, plain).answer.status,
    ]

    assert statuses == [200, 501, 200]
    deck.close()


def test_reset_rewinds_the_session_of_its_prefix(file: Deck):
    for prefix in ("/@a", "/@b"):
        ask(file, asked(prefix=prefix))

    reset = ask(file, Asked("POST", "/@a/_gemtape/reset", "", "", b""))

    assert (reset.verdict, reset.answer.status, body(reset)["session"]) == (None, 200, "a")
    assert [text(ask(file, asked(prefix=prefix))) for prefix in ("/@a", "/@b")] == ["hi", "hi again"]


def test_status_tells_what_a_session_was_served(folder: Deck):
    ask(folder, asked(prefix="/plain/@one"))
    ask(folder, asked(exchange([user("new")]), prefix="/plain/@one"))

    status = body(ask(folder, Asked("GET", "/plain/@one/_gemtape/status", "", "", b"")))

    assert status == {
        "cassette": str(folder.target / "plain.db"),
        "session": "one",
        "exchanges": 1,
        "requests": {"hit": 1, "repeat": 0, "miss": 1, "rejected": 0, "fault": 0},
        "unused": [],
    }


@pytest.mark.parametrize("path", ["/", "/_gemtape/status"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_root_tells_of_all_and_counts_as_nothing(folder: Deck, path: str, method: str):
    """Tools that wait for a server ask for its root."""
    ask(folder, asked(prefix="/plain"))

    reply = ask(folder, Asked(method, path, "", "", b""))

    assert (reply.verdict, reply.answer.status) == (None, 200)
    assert [item["cassette"] for item in body(reply)["cassettes"]] == [str(folder.target / "plain.db")]
    assert folder.verdicts() == Counter({Verdict.HIT: 1})


@pytest.mark.parametrize(("method", "path"), [("GET", "/_gemtape/reset"), ("POST", "/_gemtape/other")])
def test_own_path_that_is_not_there_is_404(file: Deck, method: str, path: str):
    reply = ask(file, Asked(method, path, "", "", b""))

    assert (reply.verdict, reply.answer.status) == (None, 404)


def test_verdicts_are_counted_over_all_cassettes(folder: Deck):
    for prefix in ("/plain", "/plain", "/refunds/happy", "/absent", ""):
        ask(folder, asked(prefix=prefix))
    ask(folder, asked(exchange([user("new")]), prefix="/plain"))

    assert folder.verdicts() == Counter({Verdict.HIT: 2, Verdict.REPEAT: 1, Verdict.MISS: 3})
    assert folder.lost == 2
    assert [path.name for path, _ in folder.tallies()] == ["plain.db", "happy.db"]


def test_requests_are_read_once(file: Deck, monkeypatch: pytest.MonkeyPatch):
    """The same bytes again cost a look into a dictionary."""
    made = []

    def make() -> Request:
        made.append(1)
        return HELLO.request

    for _ in range(3):
        file.answer(asked(), make)

    assert made == [1]


def test_known_request_is_known_by_all_that_it_depends_on(file: Deck):
    """Method, path, query, content type and body; what differs in one of them is another request."""
    ask(file, asked())
    others = [
        asked(method="PUT"),
        asked(path="/v1beta/models/other:generateContent"),
        asked(query="alt=sse"),
        asked(body=json.dumps({"contents": [user("other")]}).encode()),
    ]

    assert [ask(file, other).verdict for other in others] == [Verdict.MISS] * 4


def test_secrets_are_taken_out_of_a_request_before_it_is_matched(file: Deck):
    assert ask(file, asked(query="key=AIzaFAKEKEY0000000000000000000000000000")).verdict is Verdict.HIT


SEGMENTS = st.sampled_from(
    [*("v1beta", "v1", "models", "m:generateContent", "plain", "@one", "@", "..", ".", "%2e%2e", "%00", "%ff", ""),
     *("_gemtape", "reset", "status", "ws", "upload", "projects", "openai", "chat", "completions", "v1internal:x")]
) | st.text(st.characters(max_codepoint=255), max_size=8)  # fmt: skip
REQUESTS = st.tuples(
    st.sampled_from(["POST", "GET", "HEAD", "PUT", "DELETE", "x"]),
    st.lists(SEGMENTS, max_size=6).map(lambda parts: "/" + "/".join(parts)),
    st.sampled_from(["", "alt=sse", "key=x&alt=", "%", "a=%ff&&="])
    | st.text(st.characters(max_codepoint=255), max_size=8),
    st.sampled_from(["", "application/json", "text/event-stream", "\xff;"]),
    st.binary(max_size=20)
    | (BODIES | HOSTILE).map(lambda body: json.dumps(body).encode("utf-8", "surrogatepass")),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(what=REQUESTS)
def test_whatever_is_asked_gets_an_answer(folder: Deck, what: tuple[str, str, str, str, bytes]):
    """No request is a fault of ours, and none leaves the folder."""
    reply = ask(folder, Asked(*what), (("content-type", what[3]),))

    assert reply.answer.status in (200, 400, 404, 412, 501)
    assert {path.parent for path, _ in folder.tallies()} <= {folder.target, folder.target / "refunds"}


def test_folder_of_many_cassettes_keeps_few_open_and_their_sessions(tmp_path: Path):
    count = OPEN_AT_MOST + 8
    for number in range(count):
        cassette_of(tmp_path / f"tapes/t{number}.db", [HELLO, AGAIN])
    deck = Deck(f"{tmp_path}/tapes/")

    first = [text(ask(deck, asked(prefix=f"/t{number}"))) for number in range(count)]
    opened = [link for link in map(_target, Path("/proc/self/fd").glob("*")) if "/tapes/" in link]
    second = [text(ask(deck, asked(prefix=f"/t{number}"))) for number in range(count)]

    assert (first, second) == (["hi"] * count, ["hi again"] * count)
    assert len(deck._awake) == OPEN_AT_MOST
    assert len(opened) <= OPEN_AT_MOST
    deck.close()


def test_requests_of_many_threads_get_each_answer_once(tmp_path: Path):
    count = 64
    recorded = [exchange([user("same")], model_text(str(number))) for number in range(count)]
    deck = Deck(cassette_of(tmp_path / "run.db", recorded), Options(Repeat.ONCE))
    barrier = threading.Barrier(count)
    served: list[str] = []

    def one() -> None:
        barrier.wait()
        served.append(text(ask(deck, asked(recorded[0]))))

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(served, key=int) == [str(number) for number in range(count)]
    deck.close()


def test_what_is_remembered_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_REQUEST_BYTES", 20_000)
    deck = Deck(cassette_of(tmp_path / "run.db", [HELLO]))

    for number in range(100):
        ask(deck, asked(exchange([user(f"{number}" + "x" * 1000)])))

    assert len(deck._places) < 20
    root = next(iter(deck._players[""]._answering.lookup.cassette.turns._roots.values()))
    assert len(root.children) <= len(deck._places) + 1, "their histories went with them"
    deck.close()


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""


def test_advice_of_a_miss_names_the_command_that_was_given(tmp_path: Path):
    deck = Deck(cassette_of(tmp_path / "run.db", [HELLO]), again="pytest --gemtape=record test_a.py")
    reply = ask(deck, asked(exchange([user("hullo")])))
    deck.close()

    assert reply.note.endswith("record it again: pytest --gemtape=record test_a.py")


def test_steps_of_an_upload_are_told_apart_by_their_headers(tmp_path: Path):
    """Equal bytes, sent to one URL at two places of a file."""

    def leg(offset: str) -> Exchange:
        headers = (("x-goog-upload-command", "upload"), ("x-goog-upload-offset", offset))
        request = Request("POST", "/upload/v1beta/files", "upload_id=u", headers, b"\x00")
        return Exchange(request, unary({"at": offset}))

    legs = [leg("0"), leg("1")]
    deck = Deck(cassette_of(tmp_path / "run.db", legs))
    told = [body(ask(deck, asked(item), item.request.headers))["at"] for item in (*legs, *legs)]
    deck.close()

    assert told == ["0", "1", "0", "1"]
