from __future__ import annotations

import pytest

from tests.checks.helpers import examine, found, judge, rejections
from tests.checks.tape import FLASH_2, SIGNATURES, Tape, celsius, thought, weather
from tests.factories import call, calls, model_text, result, results, user

S1, S2, S3, S4 = SIGNATURES
RULE = "moved-signature"
BOTH = results(result("a", {}), result("b", {}))


def test_to_a_sibling_that_had_none():
    tape = Tape()
    tape.ask([user("x")], calls(call("a", signature=S1), call("b")))
    tape.ask([user("x"), calls(call("a"), call("b", signature=S1)), BOTH], model_text("k"))

    assert tape.loud() == [
        (2, "missing-signature", "error", "/contents/1/parts/0"),
        (2, RULE, "error", "/contents/1/parts/1"),
    ]
    (moved,) = [item for item in tape.violations() if item.rule == RULE]
    assert moved.message == "call b carries the signature that exchange 1 issued with call a"


def test_a_copy_on_a_sibling_while_the_original_keeps_its_own_is_no_move():
    tape = Tape()
    tape.ask([user("x")], calls(call("a", signature=S1), call("b")))
    tape.ask([user("x"), calls(call("a", signature=S1), call("b", signature=S1)), BOTH], model_text("k"))

    assert tape.loud() == []


def test_a_copy_over_the_signature_of_another_part_is_a_move():
    tape = Tape()
    tape.ask([user("x")], calls({"text": "Look.", "thoughtSignature": S1}, call("a", signature=S2)))
    sent = calls({"text": "Look.", "thoughtSignature": S1}, call("a", signature=S1))
    tape.ask([user("x"), sent, results(result("a", {}))], model_text("k"))

    assert found(tape.violations(), RULE) == [("error", "/contents/1/parts/1")]


def test_between_texts_and_images():
    picture = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    tape = Tape("gemini-3-pro-image-preview")
    tape.ask(
        [user("x")], calls({"text": "Here", "thoughtSignature": S1}, {**picture, "thoughtSignature": S2})
    )
    sent = calls({"text": "Here", "thoughtSignature": S2}, {**picture, "thoughtSignature": S1})
    tape.ask([user("x"), sent, user("y")], model_text("k"))

    assert [item.pointer for item in tape.violations() if item.rule == RULE] == [
        "/contents/1/parts/0",
        "/contents/1/parts/1",
    ]


@pytest.mark.parametrize("city", ["Pune", "Goa"])
def test_to_the_call_of_another_step(city: str):
    """Also where the steps are the same, as when an agent polls."""
    tape = Tape()
    first = tape.ask([user("x")], weather(S1))
    tape.ask([user("x"), first, celsius()], weather(S2, city))
    tape.ask([user("x"), first, celsius(), weather(S1, city), celsius()], model_text("k"))

    assert tape.loud() == [(3, RULE, "error", "/contents/3/parts/0")]


def test_to_a_response():
    answered = celsius()
    answered["parts"][0]["thoughtSignature"] = S1
    tape = Tape()
    tape.ask([user("x")], weather(S1))
    tape.ask([user("x"), weather(), answered], model_text("k"))

    assert tape.loud() == [
        (2, "missing-signature", "error", "/contents/1/parts/0"),
        (2, RULE, "error", "/contents/2/parts/0"),
    ]


def test_a_copy_on_a_response_is_no_move():
    answered = celsius()
    answered["parts"][0]["thoughtSignature"] = S1
    tape = Tape()
    tape.ask([user("x")], weather(S1))
    tape.ask([user("x"), weather(S1), answered], model_text("k"))

    assert tape.loud() == []


def test_a_signature_of_unknown_origin_on_a_response_is_nobodys_business():
    answered = celsius()
    answered["parts"][0]["thoughtSignature"] = S2

    assert found(judge(([user("x")], weather(S1)), [user("x"), weather(S1), answered]), RULE) == []


@pytest.mark.parametrize("key", ["thoughtSignature", "thought_signature"])
@pytest.mark.parametrize("model", ["gemini-3-pro-preview", FLASH_2])
def test_inside_the_call(key: str, model: str):
    """It is an unknown field there, and refused whatever the model and wherever it came from."""
    sent = weather()
    sent["parts"][0]["functionCall"][key] = S1
    history = [user("x"), sent, celsius()]

    assert found(judge(history, model=model), RULE) == [
        ("error", "/contents/1/parts/0/functionCall/thoughtSignature")
    ]
    (words,) = rejections(examine(history, model=model), RULE)
    assert words == (
        f"Invalid JSON payload received. Unknown name \"{key}\" at 'contents[1].parts[0].function_call': "
        "Cannot find field."
    )


def test_inside_the_response():
    answered = celsius()
    answered["parts"][0]["functionResponse"]["thoughtSignature"] = S1

    assert found(judge([user("x"), weather(S1), answered]), RULE) == [
        ("error", "/contents/2/parts/0/functionResponse/thoughtSignature")
    ]


@pytest.mark.parametrize("key", ["thoughtSignature", "thought_signature"])
def test_beside_the_parts_of_a_content(key: str):
    history = [user("x"), {**weather(), key: S1}, celsius()]

    assert found(judge(history), RULE) == [("error", "/contents/1/thoughtSignature")]
    (words,) = rejections(examine(history), RULE)
    assert words.endswith(f"Unknown name \"{key}\" at 'contents[1]': Cannot find field.")


def test_what_the_arguments_and_results_call_so_is_the_users():
    sent = calls(call("a", {"thoughtSignature": S1}, signature=S1))

    assert found(judge([user("x"), sent, results(result("a", {"thoughtSignature": S1}))]), RULE) == []


@pytest.mark.parametrize(
    "sent",
    [
        calls({"text": "AB", "thoughtSignature": S1}),
        calls({"text": "A", "thoughtSignature": S1}, {"text": "B"}),
        calls({"text": "A"}, {"text": "B"}, {"thoughtSignature": S1}),
    ],
    ids=["joined", "on-the-first", "alone"],
)
def test_the_signature_of_a_text_goes_with_any_text_of_its_answer(sent: dict):
    tape = Tape()
    tape.ask([user("x")], calls({"text": "A"}, {"text": "B"}, {"text": "", "thoughtSignature": S1}))
    tape.ask([user("x"), sent, user("y")], model_text("k"))

    assert found(tape.violations(), RULE) == []


def test_the_signature_of_a_call_on_the_thought_before_it():
    tape = Tape()
    tape.ask([user("x")], calls(thought("hmm"), call("a", signature=S1)))
    tape.ask([user("x"), calls(thought("hmm", S1), call("a")), results(result("a", {}))], model_text("k"))

    assert found(tape.violations(), RULE) == [("error", "/contents/1/parts/0")]


def test_models_before_3_look_at_none():
    tape = Tape(FLASH_2)
    tape.ask([user("x")], calls(call("a", signature=S1), call("b")))
    tape.ask([user("x"), calls(call("a"), call("b", signature=S1)), BOTH], model_text("k"))

    assert found(tape.violations(), RULE) == [("info", "/contents/1/parts/1")]
    assert found(tape.violations(as_model="gemini-3-pro"), RULE) == [("error", "/contents/1/parts/1")]
