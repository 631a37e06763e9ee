from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.schema import CONTENT
from gemtape.cassettes.turns import TurnTree
from gemtape.checks.conversation import Run, client_content, run_of, step_before
from tests.checks.tape import celsius, thought, weather
from tests.factories import call, calls, model_text, result, results, user


def last_run(*contents: Any) -> Run:
    run = run_of(TurnTree().intern(contents, CONTENT))
    assert run is not None
    return run


def shape(*contents: Any) -> list[tuple[str, int, int]]:
    """Role, index of the first content, and number of contents of each run."""
    found: list[tuple[str, int, int]] = []
    run: Run | None = last_run(*contents)
    while run is not None:
        found.append((run.role, run.start, len(run.contents)))
        run = run.before
    return found[::-1]


def test_contents_of_one_role_in_a_row_are_a_run():
    history = [user("a"), user("b"), model_text("A"), calls(call("a")), results(result("a", {})), user("c")]

    assert shape(*history) == [("user", 0, 2), ("model", 2, 2), ("user", 4, 2)]


def test_roles_of_responses_and_a_missing_role_count_as_the_users():
    history = [{"parts": [{"text": "a"}]}, {"role": "function", "parts": []}, {"role": "TOOL", "parts": []}]

    assert shape(*history) == [("user", 0, 3)]


def test_other_roles_stand_for_themselves():
    assert shape({"role": "system", "parts": []}, user("a")) == [("system", 0, 1), ("user", 1, 1)]


def test_there_is_no_run_without_contents():
    assert run_of(TurnTree().root(CONTENT)) is None


def test_histories_that_share_a_beginning_share_its_runs():
    """What is known of a run is kept on it, so this is what checking costs."""
    tree = TurnTree()
    first = tree.intern([user("a"), model_text("A"), user("b")], CONTENT)
    second = tree.intern([user("a"), model_text("A"), user("c")], CONTENT)
    runs = run_of(first), run_of(second)

    assert runs[0] is not None
    assert runs[1] is not None
    assert runs[0].before is runs[1].before
    assert run_of(first) is runs[0]


def test_a_run_that_grows_is_another_run_with_the_same_beginning():
    tree = TurnTree()
    short = run_of(tree.intern([user("a")], CONTENT))
    long = run_of(tree.intern([user("a"), user("b")], CONTENT))

    assert short is not None
    assert long is not None
    assert (len(short.contents), len(long.contents)) == (1, 2)
    assert short.first is long.first


def test_parts_know_their_place_and_malformed_ones_are_left_out():
    run = last_run(user("a"), {"role": "model", "parts": [None, {"text": "A"}, 3]}, calls(call("a")))

    assert [(at.content, at.part) for at in run.parts] == [(1, 1), (2, 0)]


@pytest.mark.parametrize(("value", "expected"), [("S1", "S1"), ("", None), (3, None)])
def test_the_signature_of_a_part(value: Any, expected: str | None):
    (at,) = last_run(calls({**call("a"), "thoughtSignature": value})).parts

    assert at.signature == expected


def test_calls_and_responses_over_contents():
    run = last_run(
        calls(call("a", {"n": 1}, id="i")), calls({"text": "A"}, {"functionCall": {}}, {"functionCall": 3})
    )
    assert [(item.name, item.named.id, item.args) for item in run.calls] == [
        ("a", "i", {"n": 1}),
        ("", None, {}),
    ]

    run = last_run(results(result("a", 1, id="i")), results({"functionResponse": "x"}, result("b", 2)))
    assert [(item.named.name, item.at.content) for item in run.responses] == [("a", 0), ("b", 1)]


def test_calls_in_thoughts_are_none():
    assert last_run(calls({**call("a"), "thought": True}, thought("hmm"))).calls == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, False),
        ({"willContinue": True}, True),
        ({"willContinue": False}, False),
        ({"scheduling": "SILENT"}, True),
    ],
)
def test_asynchronous_responses(value: dict, expected: bool):
    (response,) = last_run(results({"functionResponse": {"name": "a", **value}})).responses

    assert response.asynchronous is expected


PIECES = [
    {"functionCall": {"name": "a", "willContinue": True}, "thoughtSignature": "S1"},
    {"functionCall": {"partialArgs": [{"jsonPath": "$.n", "stringValue": "o"}], "willContinue": True}},
    {"functionCall": {"partialArgs": [{"jsonPath": "$.n", "stringValue": "k"}]}},
]


def test_a_call_in_streamed_pieces_is_one_call_at_its_first_part():
    run = last_run(*(calls(piece) for piece in PIECES), calls(call("b"), {"text": "A"}))

    assert [(item.name, item.at.content) for item in run.calls] == [("a", 0), ("b", 3)]
    whole = [(at.content, at.part, at.value) for at in run.whole]
    assert whole[0] == (0, 0, {"functionCall": {"name": "a", "args": {"n": "ok"}}, "thoughtSignature": "S1"})
    assert [item[:2] for item in whole] == [(0, 0), (3, 0), (3, 1)]


def test_a_named_call_ends_a_stream_that_did_not():
    run = last_run(calls(PIECES[0], call("b"), {"functionCall": {}}))

    assert [item.name for item in run.calls] == ["a", "b", ""]
    assert len(run.whole) == 3


def test_a_call_that_the_model_answers_itself_is_not_open():
    run = last_run(calls(call("a"), result("a", {}), call("b")))

    assert [item.name for item in run.open_calls] == ["b"]
    assert [item.name for item in last_run(calls(call("a"))).open_calls] == ["a"]


@pytest.mark.parametrize(
    ("contents", "prompts", "plainly"),
    [
        ([user("a")], True, True),
        ([results({"fileData": {"fileUri": "files/1"}})], True, True),
        ([results({"inlineData": {}})], True, True),
        ([celsius()], False, False),
        ([celsius(), user("a")], True, False),
        ([results(result("a", {}), {"text": "b"})], False, False),
        ([results({"executableCode": {}})], False, False),
        ([{"role": "user"}], False, False),
    ],
    ids=["text", "file", "image", "responses", "responses-then-text", "both-in-one", "other", "nothing"],
)
def test_what_starts_a_turn(contents: list, prompts: bool, plainly: bool):
    run = last_run(model_text("A"), *contents)

    assert (run.prompts, run.plainly_prompts) == (prompts, plainly)


def test_the_model_starts_no_turn():
    assert not last_run(model_text("A")).prompts


def answered(responses: list, *before: Any) -> list[int | None]:
    step = step_before(last_run(user("x"), *before, results(*responses)))
    assert step is not None
    return step.answered


def test_responses_answer_by_id_then_by_name_then_in_order():
    both = calls(call("a", id="1"), call("b", id="2"))
    assert answered([result("b", {}, id="2"), result("a", {}, id="1")], both) == [1, 0]
    assert answered([result("b", {}), result("a", {})], both) == [1, 0]
    assert answered([result("z", {}), result("a", {})], both) == [1, 0]
    assert answered([result("z", {}), result("y", {}), result("x", {})], both) == [0, 1, None]
    assert answered([result("b", {})], calls(call("a")), calls(call("b"))) == [1]


@pytest.mark.parametrize("before", [[], [model_text("A")], [weather(), celsius(), model_text("A")]])
def test_there_is_no_step_without_calls_right_in_front(before: list):
    assert step_before(last_run(user("x"), *before, celsius())) is None
    assert step_before(last_run(user("x"), weather())) is None


def test_whose_contents_are_the_clients():
    tree = TurnTree()

    assert client_content(tree.intern([user("a")], CONTENT))
    assert client_content(tree.intern([{"role": "assistant", "parts": []}], CONTENT))
    assert not client_content(tree.intern([model_text("A")], CONTENT))
