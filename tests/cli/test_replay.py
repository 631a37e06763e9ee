"""`gemtape replay` as a user starts it: a process of its own, told by its terminal and ended by signals."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from gemtape.cassettes.models import Exchange
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.store import Cassette
from gemtape.cli.main import gemtape
from tests.factories import (
    SIGNATURE,
    call,
    calls,
    cassette_of,
    exchange,
    model_text,
    result,
    results,
    unary,
    user,
)
from tests.processes import program

HELLO = exchange([user("hello")], model_text("hi"))
OTHER = exchange([user("other")], model_text("there"))
STEP = exchange(
    [user("a"), calls(call("f", signature=SIGNATURE)), results(result("f", {}))], model_text("done")
)
UNSIGNED = exchange([user("a"), calls(call("f")), results(result("f", {}))])
PATH = HELLO.request.path


def replaying(tmp_path: Path, target: str = "run.db", *options: str):
    return program("gemtape", "replay", target, "--port", "0", *options, cwd=tmp_path)


def base_url(running: Any) -> str:
    return running.wait_for(r"base URL for clients: (\S+)\n").group(1)


def post(url: str, item: Exchange = HELLO) -> httpx.Response:
    return httpx.post(url + item.request.path, content=item.request.body, trust_env=False, timeout=30)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "run.db", [HELLO, OTHER, STEP])


def test_folder_without_cassettes_is_said_so(tmp_path: Path):
    (tmp_path / "tapes").mkdir()
    with replaying(tmp_path, "tapes") as replayer:
        base_url(replayer)
        replayer.end()

    assert replayer.said.startswith(
        "warning: tapes holds no cassettes, so every request is a miss\ngemtape plays tapes, "
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_from_start_to_signal(tmp_path: Path, run: Path, number: int):
    with replaying(tmp_path) as replayer:
        url = base_url(replayer)
        answers = [post(url), post(url)]
        replayer.wait_for("repeat ")
        code = replayer.end(number)

    assert HELLO.response
    assert [answer.content for answer in answers] == [HELLO.response.body] * 2
    assert replayer.said == (
        f"gemtape plays run.db on {url}\n"
        f"base URL for clients: {url}\n"
        f"hit       #1  POST  {PATH}  200\n"
        f"repeat    #1  POST  {PATH}  200\n"
        "run.db: 2 requests answered, 1 of them by repeating an exchange; 2 of 3 exchanges unused: 2-3\n"
    )
    assert code == 0


def test_misses_and_refusals_are_told_and_make_the_exit_code_1(tmp_path: Path, run: Path):
    with replaying(tmp_path) as replayer:
        url = base_url(replayer)
        statuses = [post(url, item).status_code for item in (exchange([user("hullo")]), UNSIGNED)]
        code = replayer.end()

    assert (statuses, code) == ([412, 400], 1)
    assert f"miss      -  POST  {PATH}  412  The nearest recorded exchange is 1" in replayer.said
    assert f"rejected  -  POST  {PATH}  400  missing-signature at /contents/1/parts/0: " in replayer.said
    assert replayer.said.endswith(
        "run.db: 0 requests answered, 1 miss, 1 refused as the API would; 3 of 3 exchanges unused: 1-3\n"
    )


def test_lenient_serves_what_the_api_would_refuse(tmp_path: Path, run: Path):
    with replaying(tmp_path, "run.db", "--lenient") as replayer:
        status = post(base_url(replayer), UNSIGNED).status_code
        code = replayer.end()

    assert (status, code) == (200, 0)
    assert f"hit       #3  POST  {PATH}  200  the API would refuse this: " in replayer.said


def test_repeat_once_makes_one_request_too_many_a_miss(tmp_path: Path, run: Path):
    with replaying(tmp_path, "run.db", "--repeat", "once") as replayer:
        url = base_url(replayer)
        statuses = [post(url).status_code for _ in range(2)]
        code = replayer.end()

    assert (statuses, code) == ([200, 412], 1)


def test_folder_plays_the_cassettes_that_base_urls_name(tmp_path: Path):
    cassette_of(tmp_path / "tapes/refunds/happy.db", [HELLO])
    cassette_of(tmp_path / "tapes/other.db", [OTHER])
    with replaying(tmp_path, "tapes") as replayer:
        url = base_url(replayer).removesuffix("/NAME")
        statuses = [
            post(f"{url}/refunds/happy").status_code,
            post(f"{url}/other/@one", OTHER).status_code,
            post(f"{url}/absent").status_code,
        ]
        code = replayer.end()

    assert (statuses, code) == ([200, 200, 412], 1)
    assert f"gemtape plays tapes, one cassette a NAME, on {url}\n" in replayer.said
    assert f"hit       refunds/happy#1  POST  /refunds/happy{PATH}  200\n" in replayer.said
    assert f"hit       other/@one#1  POST  /other/@one{PATH}  200\n" in replayer.said
    assert "there is no cassette tapes/absent.db. To record it: gemtape record tapes/ " in replayer.said
    assert replayer.said.endswith("1 request found no cassette\n")


def test_configuration_sets_repeat_strictness_rules_and_secrets(tmp_path: Path):
    (tmp_path / "gemtape.toml").write_text('repeat = "once"\nstrict = false\nsecrets = ["tok-[0-9]+"]\n')
    secret = exchange([user("my token is tok-123")], model_text("thanks"))
    with Cassette.create(tmp_path / "run.db", Redactor(("tok-[0-9]+",))) as cassette:
        for item in (secret, STEP):
            cassette.add(item)
    with replaying(tmp_path) as replayer:
        url = base_url(replayer)
        statuses = [
            post(url, exchange([user("my token is tok-999")])).status_code,
            post(url, secret).status_code,
            post(url, UNSIGNED).status_code,
        ]
        replayer.end()
    with replaying(tmp_path, "run.db", "--repeat", "last", "--strict") as strict:
        url = base_url(strict)
        after = [post(url, item).status_code for item in (secret, secret, UNSIGNED)]
        strict.end()

    assert statuses == [200, 412, 200]
    assert after == [200, 200, 400], "what the command line says comes first"


def test_rule_that_configuration_ignores_refuses_nothing(tmp_path: Path, run: Path):
    (tmp_path / "gemtape.toml").write_text('ignore = ["missing-signature"]\n')
    with replaying(tmp_path) as replayer:
        assert post(base_url(replayer), UNSIGNED).status_code == 200
        assert replayer.end() == 0


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(gemtape, ["replay", *arguments])


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("absent.db", "there is no cassette "),
        ("absent/", "there is no folder "),
        ("text.db", "is not a cassette: "),
        ("empty.db", "is not a cassette"),
        ("new.db", "was written by gemtape "),
    ],
)
def test_what_cannot_be_played_is_one_line_and_exit_code_2(tmp_path: Path, target: str, line: str):
    (tmp_path / "text.db").write_text("something else, and long enough to be looked at\n" * 100)
    (tmp_path / "empty.db").touch()
    newer = cassette_of(tmp_path / "new.db", [HELLO])
    with newer.open("r+b") as file:
        file.seek(60)  # user_version, in SQLite's header
        file.write((9999).to_bytes(4, "big"))

    outcome = invoke(f"{tmp_path}/{target}", "--port", "0")

    assert (outcome.exit_code, outcome.output.count("\n")) == (2, 1)
    assert outcome.output.startswith("gemtape: ")
    assert line in outcome.output


def test_port_in_use_is_one_line_and_exit_code_2(tmp_path: Path, run: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = invoke(str(run), "--port", str(taken.getsockname()[1]))

    assert (outcome.exit_code, outcome.output.count("\n")) == (2, 1)
    assert "is in use: choose another with --port" in outcome.output


def test_address_that_is_not_ours_is_one_line_and_exit_code_2(tmp_path: Path, run: Path):
    outcome = invoke(str(run), "--port", "0", "--host", "192.0.2.1")

    assert (outcome.exit_code, outcome.output.count("\n")) == (2, 1)


def test_reader_that_left_ends_the_replay(tmp_path: Path, run: Path):
    """``gemtape replay run.db 2>&1 | head -1``: nobody reads the lines any more, so there is nobody to serve."""
    reader, writer = os.pipe()
    script = Path(sys.executable).with_name("gemtape")
    process = subprocess.Popen([script, "replay", str(run), "--port", "0"], stderr=writer, cwd=tmp_path)
    os.close(writer)
    with os.fdopen(reader) as said:
        url = [said.readline(), said.readline()][1].split()[-1]
    post(url)

    assert process.wait(30) == 141


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("never", 0)])
def test_fail_on_decides_what_a_miss_means(tmp_path: Path, run: Path, fail_on: str, code: int):
    with replaying(tmp_path, "run.db", "--fail-on", fail_on) as replayer:
        assert post(base_url(replayer), UNSIGNED).status_code == 400
        assert replayer.end() == code


def test_openai_without_a_command_is_a_mistake(run: Path):
    outcome = CliRunner().invoke(gemtape, ["replay", str(run), "--openai"])

    assert outcome.exit_code == 2
    assert "--openai is for a COMMAND" in outcome.output


def test_streams_in_other_pieces_and_retries_collapsed(tmp_path: Path):
    """A client that stumbles over a cut character is found out, and one that does not retry is not held up."""
    busy = exchange([user("hello")], unary({"error": {"code": 503}}, 503))
    cassette_of(tmp_path / "run.db", [busy, HELLO])
    with replaying(
        tmp_path, "run.db", "--collapse-retries", "--chunks", "hostile", "--seed", "3"
    ) as replayer:
        answer = post(base_url(replayer))
        code = replayer.end(signal.SIGINT)

    assert HELLO.response
    assert (answer.status_code, answer.content) == (200, HELLO.response.body)
    assert "1 request answered; all 2 exchanges used" in replayer.said
    assert code == 0


def test_two_cassettes_are_a_mistake_and_no_command(run: Path):
    outcome = CliRunner().invoke(gemtape, ["replay", str(run), str(run)])

    assert outcome.exit_code == 2
    assert "run.db cannot be run as a command" in outcome.output
