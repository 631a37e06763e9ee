from __future__ import annotations

from typing import Any

import pytest

from tests.checks.helpers import examine, found, judge, rejections
from tests.checks.tape import FLASH_2, SIGNATURES, Tape, celsius, signed, thought, weather
from tests.factories import call, calls, model_text, result, results, user

S1, S2, S3, S4 = SIGNATURES
RULE = "missing-signature"
AT = [("error", "/contents/1/parts/0")]
IMAGE = "gemini-3-pro-image-preview"
PICTURE = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}


def unsigned(**example: Any) -> list[tuple[str, str]]:
    return found(judge([user("x"), weather(), celsius()], **example), RULE)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gemini-3-pro-preview", AT),
        ("gemini-3.6-flash", AT),
        ("gemini-4-argon", AT),
        ("gemini-flash-latest", AT),
        ("gemini-2.5-flash", []),
        ("gemini-2.0-flash-001", []),
        ("gemini-exp-1206", []),
    ],
)
def test_models_from_3_on_and_their_aliases_want_it(model: str, expected: list):
    assert unsigned(model=model) == expected


@pytest.mark.parametrize("surface", ["gemini-api", "vertex"])
def test_every_surface_wants_it(surface: str):
    assert unsigned(surface=surface) == AT


def test_code_assist_wraps_the_place():
    assert unsigned(surface="code-assist") == [("error", "/request/contents/1/parts/0")]


def test_gemini_api_and_vertex_refuse_in_words_of_their_own():
    history = [user("x"), weather(), celsius()]

    (words,) = rejections(examine(history), RULE)
    assert words.startswith("Function call is missing a thought_signature in functionCall parts.")
    assert "`default_api:get_weather` , position 2." in words

    (words,) = rejections(examine(history, surface="vertex"), RULE)
    assert words.startswith(
        "Unable to submit request because function call `get_weather` in the 2. content block"
    )


def test_only_the_first_call_of_a_step_wants_it():
    both = calls(call("a", signature=S1), call("b"))

    assert found(judge([user("x"), both, results(result("a", {}), result("b", {}))]), RULE) == []


def test_every_step_of_the_current_turn_wants_it_and_no_older_one():
    turn = [user("x"), weather(), celsius(), weather(None, "Goa"), celsius()]
    assert [at for _, at in found(judge(turn), RULE)] == ["/contents/1/parts/0", "/contents/3/parts/0"]
    assert found(judge([*turn, model_text("A"), user("y")]), RULE) == []


def test_a_prompt_in_a_content_of_its_own_behind_responses_leaves_doubt():
    """Whether it starts a turn is not known; a refusal settles it."""
    history = [user("x"), weather(), celsius(), user("y")]

    assert found(judge((history, model_text("A"))), RULE) == [("warning", "/contents/1/parts/0")]
    assert found(judge((history, {"error": {"code": 400}}, 400)), RULE) == AT
    assert rejections(examine(history), RULE) == [""]


def test_text_beside_responses_starts_no_turn():
    history = [user("x"), weather(), results(celsius()["parts"][0], {"text": "last round"})]

    assert found(judge(history), RULE) == AT


def test_a_call_that_opens_a_later_content_is_suspect():
    history = [
        user("x"),
        calls(call("a", signature=S1)),
        calls(call("b")),
        results(result("a", {}), result("b", {})),
    ]

    assert found(judge((history, model_text("A"))), RULE) == [("warning", "/contents/2/parts/0")]
    assert found(judge((history, {"error": {"code": 400}}, 400)), RULE) == [("error", "/contents/2/parts/0")]


def test_contents_as_they_were_streamed_are_not_suspect():
    pieces = [calls(call("a", signature=S1)), calls(call("b"))]
    history = [user("x"), *pieces, results(result("a", {}), result("b", {}))]
    events = [{"candidates": [{"content": piece}]} for piece in pieces]

    assert found(judge(([user("x")], events), (history, model_text("A"))), RULE) == []


def test_a_batch_taken_apart_into_steps_wants_it_at_each_call():
    tape = Tape()
    tape.ask([user("x")], calls(call("a", signature=S1), call("b")))
    history = [user("x"), calls(call("a", signature=S1)), results(result("a", {}))]
    tape.ask([*history, calls(call("b")), results(result("b", {}))], model_text("k"))

    assert tape.loud() == [(2, RULE, "error", "/contents/3/parts/0")]


def test_calls_in_another_order_leave_the_first_without():
    tape = Tape()
    tape.ask([user("x")], calls(call("a", signature=S1), call("b")))
    swapped = calls(call("b"), call("a", signature=S1))
    tape.ask([user("x"), swapped, results(result("b", {}), result("a", {}))], model_text("k"))

    assert tape.loud() == [
        (2, "altered-model-turn", "error", "/contents/1/parts/0"),
        (2, RULE, "error", "/contents/1/parts/0"),
    ]


def test_the_message_names_the_exchange_that_issued_it():
    tape = Tape()
    tape.ask([user("x")], weather(S1))
    tape.ask([user("x"), weather(), celsius()], model_text("k"))

    (item,) = tape.violations()
    assert item.message == (
        "call get_weather is the first of its step and has no thoughtSignature; exchange 1 issued one with it"
    )


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (calls(thought("hmm", S1), call("a")), []),
        (calls(call("a", signature=S1)), []),
        (calls(call("a")), AT),
        (calls(thought("hmm"), call("a")), [("error", "/contents/1/parts/1")]),
    ],
    ids=["echoed", "moved", "thought-left-out", "signature-left-out"],
)
def test_the_signature_of_a_thought_may_move_to_the_call_and_must_not_be_lost(sent: dict, expected: list):
    tape = Tape()
    tape.ask([user("x")], calls(thought("hmm", S1), call("a")))
    tape.ask([user("x"), sent, results(result("a", {}))], model_text("k"))

    assert found(tape.violations(), RULE) == expected


def test_a_call_that_was_issued_unsigned_explains_a_refusal_and_nothing_else():
    tape = Tape()
    tape.ask([user("x")], weather())
    tape.ask([user("x"), weather(), celsius()], model_text("k"))
    tape.ask([user("x"), weather(), celsius()], None, status=400)

    assert [(item.exchange, item.severity) for item in tape.violations() if item.rule == RULE] == [
        (3, "error")
    ]


@pytest.mark.parametrize("value", [None, ""])
def test_nothing_at_all_is_as_good_as_none(value: Any):
    sent = weather()
    sent["parts"][0]["thoughtSignature"] = value

    assert found(judge([user("x"), sent, celsius()]), RULE) == AT


@pytest.mark.parametrize("value", ["skip_thought_signature_validator", S1, "Öl", 17])
def test_whatever_is_there_is_not_missing(value: Any):
    sent = weather()
    sent["parts"][0]["thoughtSignature"] = value

    assert found(judge([user("x"), sent, celsius()]), RULE) == []


def test_a_signature_inside_the_call_is_not_missing():
    sent = weather()
    sent["parts"][0]["functionCall"]["thought_signature"] = S1

    assert found(judge([user("x"), sent, celsius()]), RULE) == []


def test_a_call_in_streamed_pieces_is_one_call():
    pieces = [{"name": "a", "willContinue": True}, {"partialArgs": [], "willContinue": True}, {}]
    sent = [calls({"functionCall": piece}) for piece in pieces]
    sent[0]["parts"][0]["thoughtSignature"] = S1

    assert found(judge([user("x"), *sent, results(result("a", {}))]), RULE) == []


# Image models.


def image_chat(surface: str, *parts: dict) -> list[tuple[str, str]]:
    tape = Tape(IMAGE, surface)
    tape.ask(
        [user("x")], calls({"text": "Here", "thoughtSignature": S1}, {**PICTURE, "thoughtSignature": S2})
    )
    tape.ask([user("x"), calls(*parts), user("y")], model_text("k"))
    return found(tape.violations(), RULE)


@pytest.mark.parametrize(("surface", "severity"), [("gemini-api", "error"), ("vertex", "warning")])
def test_image_models_want_every_signature_that_they_issued(surface: str, severity: str):
    """Google's pages contradict each other: the Gemini API refuses, Vertex does not."""
    places = [(severity, "/contents/1/parts/0"), (severity, "/contents/1/parts/1")]

    assert image_chat(surface, {"text": "Here"}, PICTURE) == places
    assert image_chat(surface, {"text": "Here", "thoughtSignature": S1}, PICTURE) == places[1:]


def test_an_image_may_come_back_as_a_file():
    file = {"fileData": {"fileUri": "files/1"}, "thoughtSignature": S2}

    assert image_chat("gemini-api", {"text": "Here", "thoughtSignature": S1}, file) == []


def test_an_image_of_unknown_origin_is_doubtful_and_a_text_is_not():
    assert found(judge([user("x"), calls({"text": "Here"}, PICTURE), user("y")], model=IMAGE), RULE) == [
        ("warning", "/contents/1/parts/1")
    ]
    assert found(judge([user("x"), calls({"text": "Here"}, PICTURE), user("y")]), RULE) == []


def test_a_refusal_settles_what_image_models_want():
    for surface, issued in (("vertex", True), ("gemini-api", False)):
        tape = Tape(IMAGE, surface)
        if issued:
            tape.ask([user("x")], calls({**PICTURE, "thoughtSignature": S2}))
        tape.ask([user("x"), calls(PICTURE), user("y")], None, status=400)

        assert found(tape.violations(), RULE) == [("error", "/contents/1/parts/0")]


def test_an_image_that_was_issued_unsigned_is_not_doubtful():
    tape = Tape(IMAGE)
    answer = tape.ask([user("x")], calls(PICTURE))
    tape.ask([user("x"), answer, user("y")], model_text("k"))

    assert tape.loud() == []


# Judged as another model.


def as_gemini_3(answer: dict, sent: dict) -> list[tuple[str, str]]:
    tape = Tape(FLASH_2)
    tape.ask([user("x")], answer)
    tape.ask([user("x"), sent, celsius()], signed("Warm.", S4))
    assert found(tape.violations(), RULE) == []
    return found(tape.violations(as_model="gemini-3-pro"), RULE)


def test_as_another_model_what_was_issued_has_to_come_back():
    assert as_gemini_3(weather(S1), weather(S1)) == []
    assert as_gemini_3(weather(S1), weather()) == AT


def test_as_another_model_a_signature_counts_wherever_the_older_model_put_it():
    issued = calls({"text": "Look.", "thoughtSignature": S1}, weather()["parts"][0])
    stripped = calls({"text": "Look."}, weather()["parts"][0])

    assert as_gemini_3(issued, issued) == []
    assert as_gemini_3(issued, stripped) == [("error", "/contents/1/parts/1")]


def test_as_another_model_a_recording_without_signatures_says_once_a_conversation_that_it_cannot_show_it():
    tape = Tape(FLASH_2)
    for prompt in ("x", "y"):
        history = [user(prompt)]
        for city in ("Pune", "Goa", "Agra"):
            history += [tape.ask(list(history), weather(None, city)), celsius()]
        tape.ask(history, model_text("Warm."))

    told = [item for item in tape.violations(as_model="models/gemini-3-pro") if item.rule == RULE]

    assert [(item.exchange, item.severity) for item in told] == [(2, "info"), (6, "info")]
    assert told[0].message.endswith("gemini-2.5-flash issued none")
    assert tape.loud(as_model="gemini-3-pro") == []


def test_as_another_model_a_history_of_unknown_origin_cannot_show_it_either():
    tape = Tape(FLASH_2)
    tape.ask([user("x"), weather(), celsius()], model_text("Warm."))

    (told,) = [item for item in tape.violations(as_model="gemini-3-pro") if item.rule == RULE]
    assert told.severity == "info"
    assert told.message.endswith("it does not hold the answer that made this call")


def test_as_another_model_of_its_kind_a_recording_is_judged_as_ever():
    tape = Tape()
    tape.ask([user("x"), weather(), celsius()], model_text("Warm."))

    assert tape.loud(as_model="gemini-3.6-flash") == [(1, RULE, "error", "/contents/1/parts/0")]


def test_as_an_older_model_nothing_is_missing():
    tape = Tape()
    tape.ask([user("x")], weather(S1))
    tape.ask([user("x"), weather(), celsius()], model_text("Warm."))

    assert tape.loud(as_model=FLASH_2) == []
