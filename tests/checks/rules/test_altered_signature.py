from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.checks.helpers import examine, found, judge, rejections
from tests.checks.tape import FLASH_2, SIGNATURES, Tape, celsius, signed, thought, weather
from tests.factories import call, calls, model_text, result, results, user

S1, S2, S3, S4 = SIGNATURES
RULE = "altered-signature"
AT = [("error", "/contents/1/parts/0")]
LONG = base64.b64encode(bytes(range(200, 256)) * 2).decode()


def with_signature(value: Any) -> dict[str, Any]:
    sent = weather()
    sent["parts"][0]["thoughtSignature"] = value
    return sent


def returned(issued: str, sent: Any, **tape: Any) -> Tape:
    recorded = Tape(**tape)
    recorded.ask([user("x")], weather(issued))
    recorded.ask([user("x"), with_signature(sent), celsius()], model_text("k"))
    return recorded


@pytest.mark.parametrize(
    ("sent", "how"),
    [
        (LONG[:80], "is truncated: 80 of 150 characters"),
        (LONG[:81], "is truncated: 81 of 150 characters"),
        (LONG[40:], "is truncated"),
        (base64.b64encode(LONG.encode()).decode(), "is base64 of base64: it was encoded twice"),
        (base64.urlsafe_b64encode(base64.b64encode(LONG.encode())).decode(), "it was encoded twice"),
        (LONG + S2, "is joined with something else: 150 of its 172 characters were issued"),
        (S2 + LONG, "is joined with something else"),
        (LONG[:60] + "A" + LONG[61:], "is edited: it differs from character 61 on"),
        (LONG.lower(), "is edited"),
        (f"{LONG[:76]}\n{LONG[76:]}", "has white space in it"),
        (LONG.replace("+", "Ü").replace("y", "Ü"), "is not base64 any more"),
        ("", "is empty; exchange 1 issued 150 characters"),
    ],
)
def test_the_message_says_how(sent: str, how: str):
    tape = returned(LONG, sent)

    assert tape.loud() == [(2, RULE, "error", "/contents/1/parts/0")]
    assert how in tape.violations()[0].message


def test_the_message_names_the_exchange_and_no_signature():
    (item,) = returned(LONG, LONG[:80]).violations()

    assert (
        item.message
        == "the signature of call get_weather is truncated: 80 of 150 characters; exchange 1 issued it"
    )


@pytest.mark.parametrize(
    "sent",
    [
        LONG,
        LONG.rstrip("="),
        LONG.replace("+", "-").replace("/", "_"),
        base64.urlsafe_b64encode(base64.b64decode(LONG)).decode(),
        "skip_thought_signature_validator",
        "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
    ],
)
def test_the_same_bytes_and_documented_values_are_not_altered(sent: str):
    assert returned(LONG, sent).loud() == []


def test_bits_that_the_last_character_leaves_unused_do_not_count():
    assert returned("EpwCCpkCAVSoXO5", "EpwCCpkCAVSoXO4").loud() == []


def test_two_signatures_of_the_cassette_joined():
    tape = Tape()
    first = tape.ask([user("x")], weather(f"{S1}=="))
    tape.ask([user("x"), first, celsius()], weather(S2, "Goa"))
    joined = weather(f"{S1}=={S2}", "Goa")
    tape.ask([user("x"), first, celsius(), joined, celsius()], model_text("k"))

    assert tape.loud() == [(3, RULE, "error", "/contents/3/parts/0")]


@pytest.mark.parametrize(
    ("issued", "sent"),
    [
        (signed("A", S1), signed("A", S1[:-4] + "zzzz")),
        (calls(thought("hmm", S1), call("a")), calls(thought("hmm", S1[:-4] + "zzzz"), call("a"))),
        (calls(thought("hmm", S1), call("a")), calls(call("a", signature=S1[:-4] + "zzzz"))),
        (calls({"text": "A"}, {"text": "", "thoughtSignature": S1}), signed("A", S1[:-4] + "zzzz")),
    ],
    ids=["text", "thought", "thought-to-call", "empty-part-joined"],
)
def test_signatures_of_other_parts_count(issued: dict, sent: dict):
    tape = Tape()
    tape.ask([user("x")], issued)
    answered = results(result("a", {})) if "functionCall" in sent["parts"][-1] else user("y")
    tape.ask([user("x"), sent, answered], model_text("k"))

    assert found(tape.violations(), RULE) == AT


def test_a_signature_on_a_call_that_had_none():
    tape = Tape()
    tape.ask([user("x")], calls(call("a", signature=S1), call("b")))
    sent = calls(call("a", signature=S1), call("b", signature=S2))
    tape.ask([user("x"), sent, results(result("a", {}), result("b", {}))], model_text("k"))

    (item,) = tape.violations()
    assert (item.rule, item.pointer) == (RULE, "/contents/1/parts/1")
    assert item.message == "call b has a signature; exchange 1 issued none with it"


def test_nothing_is_said_of_unknown_origin():
    assert found(judge([user("x"), weather(S1), celsius()]), RULE) == []


@pytest.mark.parametrize("model", ["gemini-3-pro-preview", FLASH_2])
@pytest.mark.parametrize("value", ["not base64!", "Öl", "abcde", "ab=cd", 17, True, {"a": 1}, ["x"]])
def test_what_is_not_base64_is_refused_whatever_its_origin(value: Any, model: str):
    history = [user("x"), with_signature(value), celsius()]

    assert found(judge(history, model=model), RULE) == AT
    (words,) = rejections(examine(history, model=model), RULE)
    assert words.startswith("Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), ")


def test_what_is_not_base64_is_refused_on_a_response_too():
    answered = celsius()
    answered["parts"][0]["thoughtSignature"] = "!"

    assert found(judge([user("x"), weather(S1), answered]), RULE) == [("error", "/contents/2/parts/0")]


def test_an_empty_one_is_refused_as_a_missing_one():
    (words,) = rejections(
        examine(([user("x")], weather(S1)), [user("x"), with_signature(""), celsius()]), RULE
    )

    assert words.startswith("Function call is missing a thought_signature")


def test_an_empty_one_counts_only_where_one_is_wanted():
    tape = Tape()
    tape.ask(
        [user("x")],
        calls({"text": "Look.", "thoughtSignature": S1}, call("a", signature=S2), call("b", signature=S3)),
    )
    sent = calls(
        {"text": "Look.", "thoughtSignature": ""},
        call("a", signature=S2),
        {**call("b"), "thoughtSignature": ""},
    )
    tape.ask([user("x"), sent, results(result("a", {}), result("b", {}))], model_text("k"))

    assert tape.loud() == []
    assert returned(S1, "", model=FLASH_2).loud() == []


def test_an_empty_one_of_an_older_turn_does_not_count():
    tape = Tape()
    tape.ask([user("x")], weather(S1))
    tape.ask([user("x"), with_signature(""), celsius(), model_text("A"), user("y")], model_text("k"))

    assert found(tape.violations(), RULE) == []


def test_models_before_3_look_at_none():
    items = returned(LONG, LONG[:80], model=FLASH_2).violations()

    assert found(items, RULE) == [("info", "/contents/1/parts/0")]
    assert found(returned(LONG, LONG[:80], model=FLASH_2).violations(as_model="gemini-3-pro"), RULE) == AT
