"""`gemtape record` as a user starts it: a process of its own, told by its terminal and ended by signals."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from gemtape.cassettes.store import Cassette
from tests.processes import BIN, program
from tests.proxied import proxied, stored
from tests.proxy.test_addon import BODY, SSE, UNARY, event
from tests.upstream import Gate, Upstream, stream, unary

KEY = "AIzaSyA-1234567890abcdefghijklmnopqrstu"


@pytest.fixture
def upstream():
    with Upstream() as server:
        yield server


def record(tmp_path: Path, upstream: Upstream, *arguments: str):
    return program("gemtape", "record", "--port", "0", "--upstream", upstream.url, *arguments, cwd=tmp_path)


def base_url(recorder) -> str:
    return recorder.wait_for(r"base URL for clients: (\S+)\n").group(1)


def post(url: str, path: str = UNARY) -> httpx.Response:
    return httpx.post(url + path, json=BODY, headers={"x-goog-api-key": KEY}, trust_env=False, timeout=20)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_from_start_to_signal(tmp_path, upstream, number):
    upstream.answers += [unary(event("a", "STOP")[6:]), stream(event("a"), event("b", "STOP"))]
    with record(tmp_path, upstream, "tapes/run.db") as recorder:
        url = base_url(recorder)
        assert [post(url, path).status_code for path in (UNARY, SSE)] == [200, 200]
        assert recorder.end(number) == 0

    said = recorder.said
    assert f"gemtape records tapes/run.db on {url}\n" in said
    assert f"sent to {upstream.url}\n" in said
    assert "#1  gemini-3-pro  generateContent  200  first byte " in said
    assert "#2  gemini-3-pro  streamGenerateContent  200  first byte " in said
    assert "tapes/run.db: 2 exchanges recorded" in said
    assert "Traceback" not in said
    assert "ResourceWarning" not in said
    assert KEY not in said
    assert [file.name for file in (tmp_path / "tapes").iterdir()] == ["run.db"]
    assert [exchange.status for exchange in stored(tmp_path / "tapes" / "run.db")] == [200, 200]


def test_a_folder_that_got_nothing_says_so(tmp_path, upstream):
    with record(tmp_path, upstream, "tapes/") as recorder:
        assert post(base_url(recorder).removesuffix("/NAME")).status_code == 400
        assert recorder.end() == 1

    assert "tapes/: nothing was recorded\n" in recorder.said
    assert "\n1 exchange refused: the path names no cassette of the folder\n" in recorder.said
    assert f"for example /my-test  (POST {UNARY})\n" in recorder.said


def test_signal_while_it_starts_leaves_no_file(tmp_path, upstream):
    with record(tmp_path, upstream, "run.db") as recorder:
        deadline = time.monotonic() + 20
        while not (tmp_path / "run.db").exists():
            assert time.monotonic() < deadline
            time.sleep(0.001)
        assert recorder.end(signal.SIGTERM) == 0

    assert list(tmp_path.iterdir()) == []
    assert "run.db: 0 exchanges recorded\n" in recorder.said


def test_signal_in_the_middle_of_a_stream_ends_cleanly(tmp_path, upstream):
    gate = Gate()
    upstream.answers.append(stream(event("a"), event("b"), gate=gate))
    with record(tmp_path, upstream, "run.db") as recorder:
        url = base_url(recorder)
        with httpx.stream("POST", url + SSE, json=BODY, trust_env=False) as answer:
            pieces = answer.iter_raw()
            assert next(pieces) == event("a")
            assert recorder.end() == 0
    gate.open()
    gate.open()

    assert "Traceback" not in recorder.said
    [exchange] = stored(tmp_path / "run.db")
    assert exchange.response.cut


def test_killed_recorder_leaves_every_answer_that_a_client_had_whole(tmp_path, upstream):
    """SIGKILL, in the middle of one more stream."""
    gate = Gate()
    answers = [unary(b'{"n": %d}' % n, framing=f) for n, f in enumerate(["length", "chunked", "close"])]
    streams = [stream(event(str(n), "STOP"), framing=f) for n, f in enumerate(["length", "chunked", "close"])]
    upstream.answers += [*answers, *streams, stream(event("a"), event("b"), gate=gate)]
    with record(tmp_path, upstream, "run.db") as recorder:
        url = base_url(recorder)
        got = [post(url, path).content for path in [UNARY] * 3 + [SSE] * 3]
        with httpx.stream("POST", url + SSE, json=BODY, trust_env=False) as answer:
            pieces = answer.iter_raw()
            next(pieces)
            assert recorder.end(signal.SIGKILL) == -signal.SIGKILL
    gate.open()
    gate.open()

    assert (tmp_path / "run.db-wal").stat().st_size > 0
    assert [exchange.response.body for exchange in stored(tmp_path / "run.db")] == got
    everything = b"".join(path.read_bytes() for path in tmp_path.glob("run.db*"))
    assert KEY.encode() not in everything


ORPHAN = {
    "contents": [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
    ]
}


def test_violations_are_told_at_once_and_at_the_end_and_make_the_exit_code(tmp_path, upstream):
    with record(tmp_path, upstream, "run.db") as recorder:
        httpx.post(base_url(recorder) + UNARY, json=ORPHAN, trust_env=False, timeout=20)
        assert recorder.end() == 1
        report = recorder.output()

    assert "1 error: orphan-response" in recorder.said
    assert "orphan-response  /contents/1/parts/0" in report
    with Cassette.read(tmp_path / "run.db") as cassette:
        assert cassette.stored_violations() == [(1, "orphan-response", "error")]


def test_fail_on_says_what_of_the_report_makes_the_exit_code(tmp_path, upstream):
    with record(tmp_path, upstream, "run.db", "--fail-on", "never") as recorder:
        httpx.post(base_url(recorder) + UNARY, json=ORPHAN, trust_env=False, timeout=20)
        assert recorder.end() == 0
        assert "1 error, 0 warnings, 0 info" in recorder.output()


def test_enforce_answers_in_the_words_of_the_api_and_sends_nothing(tmp_path, upstream):
    with record(tmp_path, upstream, "run.db", "--enforce") as recorder:
        url = base_url(recorder)
        refused = httpx.post(url + UNARY, json=ORPHAN, trust_env=False, timeout=20)
        assert post(url).status_code == 200
        assert recorder.end() == 1

    assert refused.status_code == 400
    assert refused.json()["error"]["message"].startswith("Please ensure that function response turn comes")
    assert "1 exchange refused, neither sent nor recorded" in recorder.said
    assert "REFUSED  400  orphan-response at /contents/1/parts/0" in recorder.said
    assert len(upstream.requests) == 1
    assert len(stored(tmp_path / "run.db")) == 1


def test_what_cannot_be_recorded_is_counted_and_makes_the_exit_code(tmp_path, upstream):
    with record(tmp_path, upstream, "run.db") as recorder:
        url = base_url(recorder)
        assert post(url).status_code == 200
        (tmp_path / "run.db").unlink()
        assert post(url).status_code == 412
        assert recorder.end() != 0

    assert "1 exchange not recorded, for the reasons given above" in recorder.said
    assert "Traceback" not in recorder.said


@pytest.fixture
def recorded(tmp_path, upstream):
    """A cassette of one exchange."""
    with proxied(tmp_path / "run.db", upstream.url) as proxy:
        post(proxy.url)
    return tmp_path / "run.db"


def test_existing_cassette_is_refused_and_untouched(tmp_path, upstream, recorded):
    before = recorded.read_bytes()
    with record(tmp_path, upstream, "run.db") as recorder:
        assert recorder.wait() == 2

    assert (
        recorder.said
        == "gemtape: run.db exists already: --replace records it anew, --append adds to it, --mode new answers from it.\n"
    )
    assert recorded.read_bytes() == before


@pytest.mark.parametrize(
    ("choice", "kept"),
    [(("--replace",), 2), (("--append",), 3), (("--mode", "replace"), 2), (("--mode", "append"), 3)],
)
def test_existing_cassette_is_replaced_or_added_to(tmp_path, upstream, recorded, choice, kept):
    with record(tmp_path, upstream, "run.db", *choice) as recorder:
        url = base_url(recorder)
        post(url)
        post(url)
        assert recorder.end() == 0

    assert len(stored(recorded)) == kept
    assert [path.name for path in tmp_path.glob("run*")] == ["run.db"]


def test_existing_cassette_answers_and_takes_what_is_new(tmp_path, upstream, recorded):
    seen = len(upstream.requests)
    with record(tmp_path, upstream, "run.db", "--mode", "new") as recorder:
        url = base_url(recorder)
        statuses = [post(url).status_code, post(url).status_code, post(url, SSE).status_code]
        assert recorder.end() == 0

    assert statuses == [200] * 3
    assert len(upstream.requests) == seen + 1
    assert "replayed #1  gemini-3-pro  generateContent  200\n" in recorder.said
    assert "run.db: 1 exchange recorded, 2 replayed\n" in recorder.said
    assert len(stored(recorded)) == 2


def test_what_fails_live_beside_a_cassette_is_asked_again_in_the_next_run(tmp_path, upstream, recorded):
    upstream.answers += [unary(b"{}", 429), unary(b"{}")]
    prompt = {"contents": [{"role": "user", "parts": [{"text": "Something else."}]}]}
    for status, said in ((429, "0 exchanges recorded"), (200, "1 exchange recorded")):
        with record(tmp_path, upstream, "run.db", "--mode", "new") as recorder:
            answer = httpx.post(base_url(recorder) + UNARY, json=prompt, trust_env=False, timeout=20)
            assert answer.status_code == status
            recorder.end()
        assert said in recorder.said

    assert [exchange.status for exchange in stored(recorded)] == [200, 200]


def test_conversation_that_broke_off_is_told_and_taken_out_again(tmp_path, upstream, recorded):
    hi = {"role": "model", "parts": [{"text": "hi"}]}
    history = [{"role": "user", "parts": [{"text": "Something else."}]}, hi, hi | {"role": "user"}]
    body = json.dumps({"candidates": [{"content": hi, "finishReason": "STOP"}]}).encode()
    upstream.answers += [unary(body), unary(b"{}", 429)]
    with record(tmp_path, upstream, "run.db", "--mode", "new") as recorder:
        for length in (1, 3):
            prompt = {"contents": history[:length]}
            httpx.post(base_url(recorder) + UNARY, json=prompt, trust_env=False, timeout=20)
        recorder.end()

    assert (
        "run.db: 1 exchange taken out again, of a conversation that broke off when an answer failed\n"
        "run.db: 0 exchanges recorded, 0 replayed\n"
    ) in recorder.said
    assert len(stored(recorded)) == 1


def test_a_path_that_a_single_cassette_has_no_use_for_is_told(tmp_path, upstream):
    with record(tmp_path, upstream, "tapes") as recorder:
        url = base_url(recorder)
        post(f"{url}/greet/hi")
        assert recorder.end() == 0

    assert "the path /greet/hi named no cassette: a folder of them ends in a slash, tapes/" in recorder.said


def test_request_that_only_the_cassette_could_answer_makes_the_exit_code(tmp_path, upstream, recorded):
    with record(tmp_path, upstream, "run.db", "--mode", "new", "--again", "make tapes") as recorder:
        url = base_url(recorder)
        prompt = {"role": "user", "parts": [{"text": "and then?"}]}
        answer = {"role": "model", "parts": [{"text": "a"}]}
        body = {"contents": [*BODY["contents"], answer, prompt]}
        refused = httpx.post(url + UNARY, json=body, trust_env=False, timeout=20)
        assert recorder.end() == 1

    assert refused.status_code == 412
    assert refused.json()["error"]["message"].endswith("under a new name or with make tapes")
    assert "REFUSED  412  It goes on from exchange 1 of the cassette" in recorder.said
    assert "miss  request 1, POST /v1beta/models/gemini-3-pro:generateContent: It goes on" in recorder.said
    assert "run.db: 0 exchanges recorded, 0 replayed\n" in recorder.said


def test_killed_replacement_stays_beside_and_is_named_by_the_next_run(tmp_path, upstream, recorded):
    before = recorded.read_bytes()
    with record(tmp_path, upstream, "run.db", "--replace") as recorder:
        url = base_url(recorder)
        post(url)
        post(url)
        recorder.end(signal.SIGKILL)
    with record(tmp_path, upstream, "run.db", "--replace") as recorder:
        assert recorder.wait() == 2

    assert "run.db.new is left from a recording" in recorder.said
    assert recorded.read_bytes() == before
    assert len(stored(tmp_path / "run.db.new")) == 2


def test_folder_and_only_success(tmp_path, upstream):
    upstream.answers += [unary(b"{}", 503), unary(b"{}"), unary(b"{}")]
    with record(tmp_path, upstream, "tapes/", "--only-success") as recorder:
        url = base_url(recorder)
        assert url.endswith("/NAME")
        for name in ("happy", "happy", "sad"):
            post(url.replace("NAME", f"refunds/{name}"))
        recorder.end()

    assert "refunds/happy#1  gemini-3-pro" in recorder.said
    assert "\n1 exchange left out: no answer with a 2xx status\n" in recorder.said
    for name in ("happy", "sad"):
        assert [exchange.status for exchange in stored(tmp_path / "tapes" / "refunds" / f"{name}.db")] == [
            200
        ]


def gemtape(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / "gemtape", *arguments], capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run.db", "--upstream", "gateway.example"], "upstream 'gateway.example' is not an address"),
        (["run.db", "--upstream", "http://127.0.0.1:99999"], "upstream 'http://127.0.0.1:99999'"),
        (
            ["run.db", "--port", "0", "--host", "no-such-host.invalid"],
            "cannot listen on no-such-host.invalid",
        ),
        (["notes.txt", "--port", "0"], "notes.txt"),
        (["notes.txt/run.db", "--port", "0"], "notes.txt"),
        (["notes.txt/", "--port", "0"], "notes.txt"),
    ],
)
def test_what_cannot_work_is_one_line(tmp_path, arguments, words):
    (tmp_path / "notes.txt").write_text("not yours")
    done = gemtape(tmp_path, "record", *arguments)

    assert done.returncode == 2
    assert done.stderr.startswith("gemtape: ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert (tmp_path / "notes.txt").read_text() == "not yours"


def test_port_in_use_is_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = gemtape(tmp_path, "record", "run.db", "--port", str(taken.getsockname()[1]))

    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is in use" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["--port", "65536"], ["--port", "x"], ["--replace", "--append"], []])
def test_usage(tmp_path, arguments):
    done = gemtape(tmp_path, "record", *(["run.db"] if arguments else []), *arguments)

    assert done.returncode == 2
    assert "Usage: gemtape record" in done.stderr
    assert "Traceback" not in done.stderr


def without_mitmproxy(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = (
        f"import sys; sys.modules['mitmproxy'] = None; sys.argv = ['gemtape', *{arguments!r}];"
        "from gemtape.cli.main import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path
    )


def test_without_the_extra_it_says_what_to_install(tmp_path):
    done = without_mitmproxy(tmp_path, "record", "run.db")

    assert done.returncode == 2
    assert done.stderr == "gemtape: recording needs mitmproxy: pipx install 'gemtape[proxy]'\n"
    assert list(tmp_path.iterdir()) == []


def test_help_does_not_wait_for_mitmproxy(tmp_path):
    assert without_mitmproxy(tmp_path, "record", "--help").returncode == 0
