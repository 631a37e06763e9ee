"""`gemtape replay CASSETTE -- COMMAND`, as a project starts its tests with: variables, verdict and exit code."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from gemtape.cassettes.models import Exchange
from tests.factories import (
    MODEL,
    SIGNATURE,
    call,
    calls,
    cassette_of,
    exchange,
    model_text,
    result,
    results,
    user,
)
from tests.processes import Program, program

PATH = f"/v1beta/models/{MODEL}:generateContent"
QUESTION = user("Weather in Pune?")
TOOLS = [{"functionDeclarations": [{"name": "get_weather"}]}]
RESULT = results(result("get_weather", {"celsius": 31}))


def answered(signature: str) -> list[dict[str, object]]:
    return [QUESTION, calls(call("get_weather", {"city": "Pune"}, signature=signature)), RESULT]


def asking(contents: list[dict[str, object]], *answer: dict[str, object]) -> Exchange:
    return exchange(contents, *answer, tools=TOOLS)


FIRST = asking([QUESTION], answered(SIGNATURE)[1])
SECOND = asking(answered(SIGNATURE), model_text("31"))
ALTERED = asking(answered("EpwCCpkCAVSoYO4="))
UNSIGNED = asking(
    [QUESTION, calls(call("get_weather", {"city": "Pune"})), RESULT],
)
MISSING = asking([user("Weather in Rome?")])

# Sends each body in its arguments, shows the statuses, and takes errors as they come.
CLIENT = f"""
import os, sys, httpx
url = os.environ["GOOGLE_GEMINI_BASE_URL"] + "{PATH}"
with httpx.Client(timeout=30) as client:
    print(*(client.post(url, content=body.encode()).status_code for body in sys.argv[1:]), flush=True)
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "run.db", [FIRST, SECOND])


def beside(tmp_path: Path, *command: str, options: tuple[str, ...] = (), **environ: str):
    return program("gemtape", "replay", "run.db", *options, "--", *command, cwd=tmp_path, **environ)


def client(*items: Exchange) -> list[str]:
    return [sys.executable, "-c", CLIENT, *(item.request.body.decode() for item in items)]


def ended(running: Program) -> tuple[int, str, list[str]]:
    code = running.wait()
    return code, running.output(), running.said.splitlines()


def test_faithful_command_passes(tmp_path: Path, run: Path):
    with beside(tmp_path, *client(FIRST, SECOND)) as running:
        assert ended(running) == (
            0,
            "200 200\n",
            [
                "run.db: 2 requests answered; all 2 exchanges used",
                "gemtape: 2 requests, 0 misses, 0 errors, 0 warnings",
            ],
        )


def test_command_finds_the_replay_by_its_variables_and_past_any_proxy(tmp_path: Path, run: Path):
    shown = "import os; print(*(os.environ.get(name) for name in {!r}.split()))"
    names = "GOOGLE_VERTEX_BASE_URL GEMINI_API_BASE GEMINI_API_KEY OPENAI_BASE_URL"
    with beside(
        tmp_path, sys.executable, "-c", shown.format(names), options=("--port", "0", "--openai")
    ) as running:
        _, output, _ = ended(running)
    url, *others = output.split()

    assert url.startswith("http://127.0.0.1:")
    assert others == [f"{url}/v1beta", "gemtape-replays", f"{url}/v1beta/openai"]
    with beside(
        tmp_path, *client(FIRST), HTTP_PROXY="http://127.0.0.1:9", http_proxy="http://127.0.0.1:9"
    ) as running:
        assert ended(running)[:2] == (0, "200\n")


def test_miss_that_the_command_swallows_fails_the_run(tmp_path: Path, run: Path):
    with beside(tmp_path, *client(FIRST, MISSING)) as running:
        code, output, said = ended(running)

    assert (code, output) == (1, "200 412\n")
    assert said[0].startswith(f"miss  request 2, POST {PATH}: The nearest recorded exchange is 1, ")
    assert said[1:] == [
        "run.db: 1 request answered, 1 miss; 1 of 2 exchanges unused: 2",
        "gemtape: 2 requests, 1 miss, 0 errors, 0 warnings",
    ]


@pytest.mark.parametrize(
    ("item", "status", "complaint"),
    [
        (ALTERED, 200, "error  altered-signature at "),
        (UNSIGNED, 400, "refused as the API would  request 2, "),
    ],
    ids=["served", "refused"],
)
def test_broken_history_fails_the_run(tmp_path: Path, run: Path, item: Exchange, status: int, complaint: str):
    with beside(tmp_path, *client(FIRST, item)) as running:
        code, output, said = ended(running)

    assert (code, output) == (1, f"200 {status}\n")
    assert said[0].startswith(complaint)


def test_fail_on_never_tells_and_passes(tmp_path: Path, run: Path):
    with beside(tmp_path, *client(FIRST, ALTERED, MISSING), options=("--fail-on", "never")) as running:
        code, _, said = ended(running)

    assert code == 0
    assert [line.split()[0] for line in said[:2]] == ["miss", "error"]


def test_configured_severity_and_fail_on_warning(tmp_path: Path, run: Path):
    (tmp_path / "gemtape.toml").write_text('severity = {altered-signature = "warning"}')
    codes = []
    for options in ((), ("--fail-on", "warning")):
        with beside(tmp_path, *client(FIRST, ALTERED), options=options) as running:
            codes.append(ended(running)[0])

    assert codes == [0, 1]


def test_answers_beyond_the_recording_are_counted(tmp_path: Path, run: Path):
    with beside(tmp_path, *client(FIRST, FIRST, FIRST)) as running:
        code, _, said = ended(running)

    assert code == 0
    assert said[0] == (
        "run.db: 3 requests answered, 2 of them by repeating an exchange; 1 of 2 exchanges unused: 2"
    )


def test_command_that_never_came_by_is_warned_of(tmp_path: Path, run: Path):
    with beside(tmp_path, sys.executable, "-c", "") as running:
        code, _, said = ended(running)

    assert code == 0
    assert any(line.startswith("warning: no request came to gemtape. ") for line in said)


@pytest.mark.parametrize("items", [(), (MISSING,)], ids=["without a miss", "with one"])
def test_exit_code_of_the_command_comes_first(tmp_path: Path, run: Path, items: tuple[Exchange, ...]):
    with beside(tmp_path, "sh", "-c", '"$@"; exit 5', "sh", *client(*items)) as running:
        assert running.wait() == 5


def test_signal_ends_the_command_and_the_verdict_still_comes(tmp_path: Path, run: Path):
    waiting = "import sys, time; print('ready', file=sys.stderr, flush=True); time.sleep(60)"
    with beside(tmp_path, sys.executable, "-c", waiting) as running:
        running.wait_for("ready")
        code = running.end(signal.SIGTERM)

    assert code == 128 + signal.SIGTERM
    assert "gemtape: 0 requests, " in running.said
    assert "Traceback" not in running.said


def test_command_that_cannot_be_started_is_one_line_and_exit_code_2(tmp_path: Path, run: Path):
    with beside(tmp_path, "no-such-program") as running:
        assert ended(running) == (2, "", ["gemtape: cannot run no-such-program: No such file or directory"])


def test_folder_is_played_by_name(tmp_path: Path):
    cassette_of(tmp_path / "tapes/refunds/happy.db", [FIRST])
    script = CLIENT.replace('"GOOGLE_GEMINI_BASE_URL"]', '"GOOGLE_GEMINI_BASE_URL"] + "/refunds/happy"')
    command = [sys.executable, "-c", script, FIRST.request.body.decode()]
    with program("gemtape", "replay", "tapes", "--", *command, cwd=tmp_path) as running:
        code, output, said = ended(running)

    assert (code, output) == (0, "200\n")
    assert said[0].startswith("tapes/refunds/happy.db: 1 request answered; ")


def test_long_list_of_misses_is_cut(tmp_path: Path, run: Path):
    with beside(tmp_path, *client(*(asking([user(str(number))]) for number in range(53)))) as running:
        code, _, said = ended(running)

    assert code == 1
    assert sum(line.startswith("miss  ") for line in said) == 50
    assert said[50] == "and 3 more"
