"""`gemtape record --forward` as a user starts it, alone and beside a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gemtape.cli.leading import ByBaseUrl, ByProxy
from gemtape.proxy.routing import Router, parse_upstream
from tests.certificates import offering, self_signed
from tests.processes import Program, program
from tests.proxied import stored
from tests.proxy.test_addon import BODY, KEY, UNARY, event
from tests.upstream import Upstream, unary

URL = f"https://generativelanguage.googleapis.com{UNARY}"
ASK = f"import httpx; print(httpx.post({URL!r}, json={BODY!r}, headers={{'x-goog-api-key': {KEY!r}}}).status_code)"


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream(unary(event("hi", "STOP")[6:].strip())) as server:
        yield server


def record(folder: Path, upstream: Upstream, *arguments: str, **environ: str):
    environ = {"XDG_DATA_HOME": str(folder / "data"), **environ}
    options = ("--forward", "--upstream", upstream.url)
    return program("gemtape", "record", "run.db", *options, *arguments, cwd=folder, **environ)


def outcome(recorder: Program) -> tuple[int, str]:
    return recorder.wait(), recorder.output()


def test_command_is_led_here_and_recorded(tmp_path, upstream):
    with record(tmp_path, upstream, "--", sys.executable, "-c", ASK, NO_PROXY="*") as recorder:
        assert outcome(recorder) == (0, "200\n")

    assert "run.db: 1 exchange recorded" in recorder.said
    assert "warning" not in recorder.said.replace("0 warnings", "")
    assert KEY not in recorder.said
    assert [exchange.request.path for exchange in stored(tmp_path / "run.db")] == [UNARY]


def test_other_hosts_keep_their_certificates_for_the_command(tmp_path, upstream):
    """Which trusts them as before, and is told that no request went to the Gemini API."""
    certificate = self_signed(tmp_path / "own.pem", "localhost")
    with Upstream(unary(b"theirs"), tls=offering(certificate)) as other:
        ask = f"import httpx; print(httpx.get('https://localhost:{other.port}').text)"
        command = ("--", sys.executable, "-c", ask)
        with record(tmp_path, upstream, *command, SSL_CERT_FILE=str(certificate)) as recorder:
            assert outcome(recorder) == (0, "theirs\n")

    assert "warning: no request went to the Gemini API" in recorder.said
    assert "only 1 connection to other hosts" in recorder.said


def test_command_that_does_not_trust_us_is_the_reason_for_silence(tmp_path, upstream):
    ask = f"import os; del os.environ['SSL_CERT_FILE']; {ASK}"
    with record(tmp_path, upstream, "--", sys.executable, "-c", ask) as recorder:
        assert recorder.wait() == 1

    assert "warning: no request could be recorded." in recorder.said
    assert "does not trust the proxy's certificate for generativelanguage.googleapis.com" in recorder.said


def test_alone_it_says_what_clients_need(tmp_path, upstream):
    with record(tmp_path, upstream, "--port", "0") as recorder:
        url = recorder.wait_for(r"records run\.db as an HTTPS proxy on (\S+)\n").group(1)
        said = recorder.wait_for(r"for clients: HTTPS_PROXY=(\S+) and, as `gemtape ca` says, (\S+)\n")
        assert said.group(1) == url
        assert Path(said.group(2)).is_file()
        assert httpx.post(url + UNARY, json=BODY, trust_env=False).status_code == 400
        assert recorder.end() == 0

    assert f"Code Assist, sent to {upstream.url}; everything else passes as it is\n" in recorder.said
    assert "warning: no request could be recorded. " in recorder.said
    assert "this is a forward proxy, which has no base URL" in recorder.said


def test_that_nothing_came_is_said_at_the_end(tmp_path, upstream):
    with record(tmp_path, upstream, "--", sys.executable, "-c", "pass") as recorder:
        assert recorder.wait() == 0

    assert "warning: nothing came to gemtape" in recorder.said


def test_base_url_that_leads_past_the_proxy_is_the_reason_for_silence(tmp_path, upstream):
    """Nothing went to the Gemini API, since the client was told to go somewhere else."""
    command = ("--", sys.executable, "-c", "pass")
    with record(tmp_path, upstream, *command, GOOGLE_GEMINI_BASE_URL="http://gateway.example") as recorder:
        assert recorder.wait() == 0

    assert "; GOOGLE_GEMINI_BASE_URL in the environment leads clients elsewhere\n" in recorder.said


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("tapes/", "--forward"), "has no base URL that could name"),
        (("run.db", "--forward", "--openai", "--", "x"), "--openai"),
    ],
)
def test_what_has_no_meaning_without_a_base_url_is_refused(tmp_path, arguments, complaint):
    with program(
        "gemtape", "record", *arguments, cwd=tmp_path, XDG_DATA_HOME=str(tmp_path / "data")
    ) as recorder:
        assert recorder.wait() == 2

    assert complaint in recorder.said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("host", "warned"), [("127.0.0.1", False), ("localhost", False), ("0.0.0.0", True)])
def test_whoever_can_reach_it_can_use_it(tmp_path, monkeypatch, host, warned):
    monkeypatch.setitem(os.environ, "XDG_DATA_HOME", str(tmp_path))
    lines = list(ByProxy("run.db", host, Router()).lines("http://h:1"))

    assert any(line.startswith("warning: whoever reaches") for line in lines) is warned
    assert "sent to" not in lines[1]


def test_reverse_listener_makes_no_authority(tmp_path, monkeypatch):
    monkeypatch.setitem(os.environ, "XDG_DATA_HOME", str(tmp_path))
    way = ByBaseUrl("tapes/", Router(parse_upstream("http://up.test/base")), folder=True, openai=True)

    assert way.forward is None
    assert list(way.lines("http://h:1")) == [
        "gemtape records tapes/, one cassette a NAME, on http://h:1",
        "requests are sent to http://up.test/base",
        "base URL for clients: http://h:1/NAME",
    ]
    assert way.variables("http://h:1", {})["OPENAI_BASE_URL"] == "http://h:1/v1beta/openai"
    assert "OPENAI_BASE_URL" in way.silence()
    assert list(tmp_path.iterdir()) == []
