"""`gemtape drill CASSETTE -- COMMAND` against applications in processes of their own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gemtape.cli.main import gemtape
from tests.factories import SIGNATURE, call, calls, cassette_of, exchange, model_text, unary
from tests.replay.drill.recorded import QUESTION, TOOLS, VALID, conversation, recording

APPLICATION = """
import json, os, sys, threading, time, urllib.request

BASE, MODE, CITIES = os.environ["GOOGLE_GEMINI_BASE_URL"], sys.argv[1], sys.argv[2:] or ["Pune"]
TOOLS = json.loads(os.environ["TOOLS"])
ALL_ASKED = threading.Barrier(len(CITIES), timeout=30)

def dispatched(name, args):
    if name != "get_forecast":
        return {"error": f"no function {name}"}
    if MODE == "strict" and (set(args) != {"city", "days", "unit"} or args["days"] not in range(1, 8)
                             or args["unit"] not in ("celsius", "fahrenheit")):
        return {"error": "invalid arguments"}
    if MODE == "raises":
        args["city"]
    if MODE == "exits" and "city" not in args:
        sys.exit(3)
    if MODE == "hangs" and "city" not in args:
        time.sleep(60)
    if MODE == "changes":
        return {"at": time.time_ns()}
    if MODE == "mute":
        return {"ok": True}
    if MODE == "refuses":
        return {"error": "down"}
    days = int(args["days"])
    return {"city": args.get("city", "undefined"), "unit": args["unit"], "temperatures": list(range(24, 24 + days))}

def converse(city):
    contents = [{"role": "user", "parts": [{"text": f"Will {city} be warmer than 25 degrees?"}]}]
    while True:
        body = json.dumps({"contents": contents, "tools": TOOLS}).encode()
        url = BASE + "/v1beta/models/gemini-3-pro-preview:generateContent"
        request = urllib.request.Request(url, body, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            content = json.load(answer)["candidates"][0]["content"]
        if len(contents) == 1:
            ALL_ASKED.wait()
        contents.append(content)
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        if not calls:
            break
        contents.append({"role": "user", "parts": [
            {"functionResponse": {**({"id": call["id"]} if "id" in call else {}), "name": call["name"],
                                  "response": dispatched(call["name"], call["args"])}} for call in calls]})

others = [threading.Thread(target=converse, args=[city]) for city in CITIES[1:]]
for thread in others:
    thread.start()
converse(CITIES[0])
for thread in others:
    thread.join()
print("the end")
"""


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOOLS", json.dumps(TOOLS))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "app.py"
    path.write_text(APPLICATION)
    return path


def _drill(cassette: Path, *arguments: object, code: int | None = None) -> Result:
    outcome = CliRunner().invoke(gemtape, ["drill", str(cassette), *map(str, arguments)])
    assert code is None or outcome.exit_code == code, outcome.output
    return outcome


def _verdicts(
    cassette: Path, application: Path, mode: str, *options: object, code: int
) -> dict[str, tuple[Any, ...]]:
    (found,) = _all_verdicts(cassette, *options, "--", sys.executable, application, mode, code=code)
    return found


def _all_verdicts(cassette: Path, *arguments: object, code: int) -> list[dict[str, tuple[Any, ...]]]:
    """Those of each drilled call."""
    outcome = _drill(cassette, "--format", "json", *arguments, code=code)
    return [
        {run["proposal"]: (run["verdict"], run["outcome"], run["repair_turns"]) for run in drill["runs"]}
        for drill in json.loads(outcome.stdout)["drills"]
    ]


def test_a_dispatcher_that_validates_nothing(tmp_path: Path, application: Path):
    assert _verdicts(recording(tmp_path / "run.db"), application, "none", code=1) == {
        "valid": ("ran", "right", 0),
        "bad-enum": ("executed", "wrong", 0),
        "string-number": ("coerced", "right", 0),
        "missing-required": ("executed", "wrong", 0),
        "out-of-range": ("executed", "wrong", 0),
        "undeclared-argument": ("ignored", "right", 0),
        "undeclared-function": ("rejected", "right", 1),
    }


def test_a_conversation_that_the_command_leaves_out_is_not_called_a_failure(
    tmp_path: Path, application: Path
):
    cassette = _at_once(tmp_path / "run.db", "Pune", "Oslo")
    command = ("--", sys.executable, application, "none", "Pune")
    told = _drill(cassette, "--proposal", "bad-enum", *command, code=1).stdout

    assert "\nexchange 2, get_forecast: the command asked for nothing that this call answers" in told


def test_results_that_show_no_arguments_are_said_to_tell_little(tmp_path: Path, application: Path):
    """What nothing rejected passes for coerced there, and may have run as it was."""
    cassette = recording(tmp_path / "run.db")
    mute, shown = (
        _drill(cassette, "--", sys.executable, application, mode, code=code).stdout
        for mode, code in (("mute", 0), ("none", 1))
    )

    assert (
        "get_forecast: bad-enum, missing-required, out-of-range brought the result of the valid call" in mute
    )
    assert "it may have run as it was" in mute
    assert "brought the result" not in shown


def _at_once(path: Path, *cities: str) -> Path:
    """Conversations about several cities, recorded side by side."""
    told = json.dumps(
        [[item.request.json, item.response and item.response.body.decode()] for item in conversation()]
    )
    each = [
        json.loads(told.replace("Pune", city).replace("abcd1234", f"id-{at}"))
        for at, city in enumerate(cities)
    ]
    return cassette_of(
        path,
        [
            exchange(body["contents"], unary(json.loads(answer)), tools=TOOLS, at=at)
            for at, pairs in enumerate(zip(*each, strict=True), 1)
            for body, answer in pairs
        ],
    )


@pytest.mark.parametrize("mode", ["none", "strict"])
def test_conversations_at_once_are_drilled_one_by_one(tmp_path: Path, application: Path, mode: str):
    cassette = _at_once(tmp_path / "run.db", "Pune", "Agra")
    alone = _verdicts(recording(tmp_path / "one.db"), application, mode, code=int(mode == "none"))

    command = ("--", sys.executable, application, mode, "Pune", "Agra")
    found = _all_verdicts(cassette, *command, code=int(mode == "none"))

    assert found == [alone, alone]
    assert "may be wrong" not in _drill(cassette, "--proposal", "bad-enum", *command).output


def test_equal_conversations_at_once_are_said_to_be_equal(tmp_path: Path, application: Path):
    cassette = _at_once(tmp_path / "run.db", "Pune", "Pune")

    command = ("--proposal", "bad-enum", "--", sys.executable, application, "none", "Pune", "Pune")
    outcome = _drill(cassette, *command, code=1)

    assert "exchange 1, get_forecast: exchange 2 was asked for alike at the same time" in outcome.stdout
    assert "6 runs, 2 of them with a call that should not have run" in outcome.stdout


def test_a_strict_dispatcher(tmp_path: Path, application: Path):
    found = _verdicts(recording(tmp_path / "run.db"), application, "strict", code=0)

    assert found.pop("valid") == ("ran", "right", 0)
    assert set(found.values()) == {("rejected", "right", 1)}


def test_without_repairs_rejection_is_the_end(tmp_path: Path, application: Path):
    found = _verdicts(recording(tmp_path / "run.db"), application, "strict", "--repairs", 0, code=0)

    assert found["bad-enum"] == ("rejected", "rejected", 0)


def test_a_dispatcher_that_ends(tmp_path: Path, application: Path):
    cassette = recording(tmp_path / "run.db")

    found = _verdicts(cassette, application, "exits", "--proposal", "missing-required", code=0)
    assert found["missing-required"] == ("crashed", "crashed", 0)
    assert found.keys() == {"valid", "missing-required"}


def test_the_last_words_of_a_dispatcher_that_ended_are_told(tmp_path: Path, application: Path):
    options = ("--proposal", "missing-required")
    outcome = _drill(recording(tmp_path / "run.db"), *options, "--", sys.executable, application, "raises")

    assert "exchange 1, missing-required: the last it said was\n  KeyError: 'city'\n" in outcome.stdout


def test_a_dispatcher_that_hangs_is_ended(tmp_path: Path, application: Path):
    cassette = recording(tmp_path / "run.db")

    options = ("--proposal", "missing-required", "--timeout", 1.5)
    found = _verdicts(cassette, application, "hangs", *options, code=0)
    assert found["missing-required"] == ("crashed", "crashed", 0)


def test_results_that_differ_by_themselves(tmp_path: Path, application: Path):
    found = _verdicts(recording(tmp_path / "run.db"), application, "changes", code=1)

    assert found["string-number"] == ("not-rejected", "unknown", 0)
    assert found["bad-enum"] == ("not-rejected", "wrong", 0)
    assert found["undeclared-argument"] == ("ignored", "right", 0)


def test_a_valid_call_that_fails_is_nothing_to_compare_with(tmp_path: Path, application: Path):
    outcome = _drill(recording(tmp_path / "run.db"), "--", sys.executable, application, "refuses", code=2)

    assert (
        "the valid call brought no result (rejected), so there is nothing to compare with" in outcome.stdout
    )
    assert "the command brought no result of the valid call; it said:" in outcome.stderr
    assert "the end" in outcome.stderr
    assert "nothing was tried" in outcome.stderr


def test_the_table_and_its_summary(tmp_path: Path, application: Path):
    outcome = _drill(recording(tmp_path / "run.db"), "--", sys.executable, application, "none", code=1)

    assert "the end" not in outcome.stdout
    (line,) = [line.split() for line in outcome.stdout.splitlines() if "bad-enum" in line]
    assert line == ["1", "get_forecast", "bad-enum", "unit", "executed", "1", "0", "wrong"]
    assert outcome.stdout.splitlines()[-1] == "8 runs, 3 of them with a call that should not have run"


def test_one_exchange_of_several(tmp_path: Path, application: Path):
    path = cassette_of(tmp_path / "run.db", [*conversation(), *conversation()])

    planned = _drill(path, "--exchange", 3, code=0).stdout
    assert "3           get_forecast" in planned
    assert "1           get_forecast" not in planned
    assert "holds no call to drill" in _drill(path, "--exchange", 2, code=2).output


def test_without_a_command_the_proposals_are_listed(tmp_path: Path):
    outcome = _drill(recording(tmp_path / "run.db"), code=0)

    assert 'get_forecast(city: "Pune", days: 14, unit: "celsius")' in outcome.stdout
    assert "-- COMMAND" in outcome.stderr


def test_a_cassette_without_calls(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [exchange([QUESTION], model_text("Hot."))])

    assert "holds no call to drill" in _drill(path, "--", "true", code=2).output
    assert "no cassette" in _drill(tmp_path / "missing.db", "--", "true", code=2).output


def test_a_command_that_cannot_be_started(tmp_path: Path):
    outcome = _drill(recording(tmp_path / "run.db"), "--", "no-such-program", code=2)

    assert "cannot run no-such-program" in outcome.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--example", "forecast"), "--example takes no cassette"),
        (("--validate", "strict"), "belong to --example"),
        (("--timeout", "0"), "0"),
    ],
)
def test_options_that_do_not_go_together(tmp_path: Path, arguments: tuple[str, ...], words: str):
    assert words in _drill(recording(tmp_path / "run.db"), *arguments, code=2).output


def test_a_command_that_never_comes_by_is_run_once(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [*conversation(), *conversation()])
    mark = tmp_path / "begun"

    outcome = _drill(path, "--", sys.executable, "-c", f"open({str(mark)!r}, 'a').write('x')", code=2)

    assert "no request came to gemtape" in outcome.stdout
    assert "GOOGLE_GEMINI_BASE_URL" in outcome.stdout
    assert mark.read_text() == "x"


def test_a_transcript_is_drilled_as_a_cassette(tmp_path: Path, application: Path):
    cassette, transcript = recording(tmp_path / "run.db"), tmp_path / "run.jsonl"
    assert CliRunner().invoke(gemtape, ["export", str(cassette), "-o", str(transcript)]).exit_code == 0

    assert _verdicts(transcript, application, "strict", code=0)["bad-enum"] == ("rejected", "right", 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["app.py", "run.db", "run.jsonl"]


def test_every_run_gets_the_whole_input(tmp_path: Path, application: Path):
    application.write_text(f"import sys; assert sys.stdin.read() == 'Pune\\n'\n{APPLICATION}")
    program = subprocess.run(
        [
            *(Path(sys.executable).parent / "gemtape", "drill", recording(tmp_path / "run.db")),
            *("--proposal", "bad-enum", "--", sys.executable, application, "none"),
        ],
        input=b"Pune\n",
        capture_output=True,
        check=False,
    )

    assert program.returncode == 1, program.stderr
    assert b"3 runs, 1 of them" in program.stdout


def test_calls_that_are_not_drilled_are_told_of(tmp_path: Path):
    unfit = exchange([QUESTION], calls(call("get_forecast", {"days": 3}, signature=SIGNATURE)), tools=TOOLS)
    path = cassette_of(tmp_path / "run.db", [unfit, *conversation()])

    said = "get_forecast of exchange 1 is not drilled: its recorded arguments do not fit: city is required"
    assert said in _drill(path, code=0).stderr
    outcome = _drill(path, "--exchange", 1, code=2)
    assert "holds no call to drill" in outcome.stderr
    assert "city is required" in outcome.stderr


def test_the_plan_for_programs(tmp_path: Path):
    plan = json.loads(_drill(recording(tmp_path / "run.db"), "--format", "json", code=0).stdout)

    assert len(plan["proposals"]) == 7
    assert plan["proposals"][4] == {
        "exchange": 1,
        "call": 0,
        "function": "get_forecast",
        "proposal": "out-of-range",
        "argument": "days",
        "name": "get_forecast",
        "args": {**VALID, "days": 14},
    }


def test_what_a_terminal_would_obey_is_not_printed(tmp_path: Path):
    name = "f\x1b]0;x\x07\x9b2J"
    tools = [
        {"functionDeclarations": [{"name": name, "parameters": {"properties": {name: {"enum": ["a"]}}}}]}
    ]
    one = exchange([QUESTION], calls(call(name, {name: "a" * 9}, signature=SIGNATURE)), tools=tools)
    two = exchange([QUESTION], calls(call(name, {name: "a", "\u202e": 1}, signature=SIGNATURE)), tools=tools)
    path = cassette_of(tmp_path / "run.db", [one, two])

    for arguments, code in (((), 0), (("--", "true"), 2)):
        outcome = _drill(path, *arguments, code=code)
        for line in (outcome.stdout + outcome.stderr).splitlines():
            assert line.isprintable(), repr(line)


def test_ctrl_c_ends_the_whole_drill(tmp_path: Path, application: Path):
    cassette = recording(tmp_path / "run.db")
    mark = tmp_path / "begun"
    code = f"open({str(mark)!r}, 'a').write('x'); import time; time.sleep(60)"
    program = subprocess.Popen(
        [Path(sys.executable).parent / "gemtape", "drill", cassette, "--", sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    # The file is there before what is written into it.
    while not mark.exists() or not mark.read_text():
        assert program.poll() is None
        time.sleep(0.02)
    program.send_signal(signal.SIGTERM)
    program.communicate(timeout=20)

    assert program.returncode == 128 + signal.SIGTERM
    assert mark.read_text() == "x"
