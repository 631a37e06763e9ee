"""What a drill tells people and programs."""

from __future__ import annotations

import orjson

from gemtape.checks.proposals import Proposal, Proposed
from gemtape.replay.drill.run import Baseline, Run
from gemtape.replay.drill.targets import Target
from gemtape.replay.drill.told import HEADERS, PLANNED, Drilled, as_json, plan_as_json, planned_rows, rows

RESULT = {"t": 24}
BAD = Proposed(Proposal.BAD_ENUM, "f", {"unit": "kelvin"}, "unit")


def _drilled() -> Drilled:
    repaired = Run(
        BAD, [(True, {"error": "no"}), (False, RESULT)], calls=2, errors_returned=1, repair_turns=1
    )
    given_up = Run(BAD, [(True, {"error": "no"})], calls=1, errors_returned=1)
    executed = Run(BAD, [(False, {"t": 1})], calls=1, exit_code=0)
    executed.trace.add("call", "the model proposes f")
    target = Target(3, 1, 0, 0, "f", (BAD,))
    return Drilled(target, [repaired, given_up, executed], Baseline((RESULT, RESULT)))


def test_rows():
    told = rows([_drilled()])

    assert all(len(row) == len(HEADERS) for row in told)
    assert told[0] == ["3", "f", "bad-enum", "unit", "rejected", "after 1 turn", "2", "1", "right"]
    assert told[1][4:] == ["rejected", "no", "1", "1", "rejected"]
    assert told[2][4:] == ["executed", "", "1", "0", "wrong"]


def test_json():
    document = orjson.loads(orjson.dumps(as_json("run.db", ("python", "app.py"), [_drilled()])))

    assert (document["cassette"], document["command"]) == ("run.db", ["python", "app.py"])
    assert document["summary"] == {
        "runs": 3,
        "calls": 4,
        "errors_returned": 2,
        "repair_turns": 1,
        "dangerous": 1,
    }
    (drill,) = document["drills"]
    assert (drill["exchange"], drill["function"], drill["stable"], drill["note"]) == (3, "f", True, "")
    run = drill["runs"][2]
    assert {
        key: run[key] for key in ("proposal", "argument", "verdict", "dangerous", "outcome", "exit_code")
    } == {
        "proposal": "bad-enum",
        "argument": "unit",
        "verdict": "executed",
        "dangerous": True,
        "outcome": "wrong",
        "exit_code": 0,
    }
    assert run["events"] == [{"step": 1, "at_s": 0, "kind": "call", "text": "the model proposes f"}]
    assert drill["runs"][0]["results"] == [{"error": "no"}, RESULT]


def test_a_plan_is_told_in_both_ways():
    target = _drilled().target

    (row,) = planned_rows([(target, BAD)])
    assert len(row) == len(PLANNED)
    assert row == ["3", "f", "bad-enum", "unit", 'f(unit: "kelvin")']
    (told,) = orjson.loads(orjson.dumps(plan_as_json("run.db", [(target, BAD)])))["proposals"]
    assert told == {
        "exchange": 3,
        "call": 0,
        "function": "f",
        "proposal": "bad-enum",
        "argument": "unit",
        "name": "f",
        "args": {"unit": "kelvin"},
    }


def test_names_from_a_recording_cannot_harm_a_terminal():
    harmful = "f\x1b[2J" + "x" * 500
    target, proposed = Target(1, 0, 0, 0, harmful, ()), Proposed(Proposal.BAD_ENUM, harmful, {}, harmful)

    for row in (*planned_rows([(target, proposed)]), *rows([Drilled(target, [Run(proposed)])])):
        assert all(cell.isprintable() and len(cell) < 300 for cell in row)
