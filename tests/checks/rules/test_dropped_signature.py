from __future__ import annotations

import pytest

from tests.checks.helpers import found
from tests.checks.tape import FLASH_2, SIGNATURES, Tape, celsius, signed, thought, weather
from tests.factories import call, calls, model_text, result, results, user

S1, S2, S3, S4 = SIGNATURES
RULE = "dropped-signature"
SEARCH = {"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["x"]}}}
HITS = {"toolResponse": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}}


def said(tape: Tape) -> list[tuple[int, str, str]]:
    return [(item.exchange, item.severity, item.pointer) for item in tape.violations() if item.rule == RULE]


@pytest.mark.parametrize(
    ("issued", "sent", "place"),
    [
        (signed("A", S1), model_text("A"), "/contents/1/parts/0"),
        (calls({"text": "A"}, {"text": "", "thoughtSignature": S1}), model_text("A"), "/contents/1"),
        (calls({"text": "A"}, {"thoughtSignature": S1}), model_text("A"), "/contents/1"),
        (calls(thought("hmm", S1), {"text": "A"}), model_text("A"), "/contents/1"),
        (signed("A", S1), calls({"text": "A", "thoughtSignature": ""}), "/contents/1/parts/0"),
    ],
    ids=["text", "empty-part", "part-without-data", "thought", "emptied"],
)
def test_what_need_not_come_back_is_mentioned(issued: dict, sent: dict, place: str):
    tape = Tape()
    tape.ask([user("x")], issued)
    tape.ask([user("x"), sent, user("y")], model_text("k"))

    assert said(tape) == [(2, "info", place)]
    assert tape.loud() == []


def test_it_is_mentioned_once():
    tape = Tape()
    history = [user("x")]
    for at, signature in enumerate(SIGNATURES):
        tape.ask(list(history), signed(f"A{at}", signature))
        history += [model_text(f"A{at}"), user("more")]
    tape.ask(history, model_text("k"))

    assert said(tape) == [(at + 2, "info", f"/contents/{2 * at + 1}/parts/0") for at in range(4)]


def test_a_signed_later_call_is_mentioned_and_the_first_is_missing_signatures():
    tape = Tape()
    tape.ask([user("x")], calls(call("a", signature=S1), call("b", signature=S2)))
    tape.ask(
        [user("x"), calls(call("a"), call("b")), results(result("a", {}), result("b", {}))], model_text("k")
    )

    assert said(tape) == [(2, "info", "/contents/1/parts/1")]
    assert tape.loud() == [(2, "missing-signature", "error", "/contents/1/parts/0")]


def test_models_before_3_need_none_of_them():
    tape = Tape(FLASH_2)
    tape.ask([user("x")], calls({"text": "A", "thoughtSignature": S1}, weather(S2)["parts"][0], SEARCH))
    tape.ask([user("x"), calls({"text": "A"}, weather()["parts"][0]), celsius()], model_text("k"))

    assert said(tape) == [(2, "info", "/contents/1/parts/0"), (2, "info", "/contents/1/parts/1")]


def test_a_signature_that_moved_or_changed_was_not_dropped():
    tape = Tape()
    tape.ask([user("x")], calls({"text": "A", "thoughtSignature": S1}, call("a", signature=S2)))
    sent = calls({"text": "A", "thoughtSignature": S2}, call("a", signature=S1))
    tape.ask([user("x"), sent, results(result("a", {}))], model_text("k"))
    sent = calls({"text": "A", "thoughtSignature": S1[:12]}, call("a", signature=S2))
    tape.ask([user("x"), sent, results(result("a", {}))], model_text("k"))

    assert said(tape) == []


def test_a_lost_call_takes_its_signature_with_it():
    tape = Tape()
    tape.ask([user("x")], calls({"text": "A"}, call("a", signature=S2)))
    tape.ask([user("x"), model_text("A"), user("y")], model_text("k"))

    assert said(tape) == []


def server_side(*parts: dict, model: str = "gemini-3.5-flash") -> Tape:
    signed_parts = [
        {**SEARCH, "thoughtSignature": S1},
        {**HITS, "thoughtSignature": S2},
        call("a", signature=S3),
    ]
    tape = Tape(model)
    tape.ask([user("x")], calls(*signed_parts))
    tape.ask([user("x"), calls(*parts, call("a", signature=S3)), results(result("a", {}))], model_text("k"))
    return tape


def test_parts_of_server_side_tools_need_theirs():
    assert server_side({**SEARCH, "thoughtSignature": S1}, {**HITS, "thoughtSignature": S2}).loud() == []
    assert server_side(SEARCH, HITS).loud() == [
        (2, RULE, "error", "/contents/1/parts/0"),
        (2, RULE, "error", "/contents/1/parts/1"),
    ]


def test_parts_of_server_side_tools_need_theirs_as_long_as_the_turn_goes_on():
    tape = server_side(SEARCH, {**HITS, "thoughtSignature": S2})
    history = [
        user("x"),
        calls(SEARCH, {**HITS, "thoughtSignature": S2}, call("a", signature=S3)),
        results(result("a", {})),
    ]
    tape.ask([*history, model_text("k"), user("y")], model_text("k"))

    assert said(tape) == [(2, "error", "/contents/1/parts/0")]


def test_parts_of_server_side_tools_need_theirs_where_they_come_back_first():
    """Also where the answer ended its turn; signatures of older turns may be left out later."""
    tape = Tape("gemini-3.5-flash")
    whole = tape.ask([user("x")], calls({**SEARCH, "thoughtSignature": S1}, HITS, {"text": "A"}))
    stripped = calls(SEARCH, HITS, {"text": "A"})
    tape.ask([user("x"), stripped, user("y")], model_text("B"))
    tape.ask([user("x"), stripped, user("y"), model_text("B"), user("z")], model_text("C"))
    assert said(tape) == [(2, "error", "/contents/1/parts/0")]

    tape.exchanges.pop()
    tape.exchanges.pop()
    tape.ask([user("x"), whole, user("y")], model_text("B"))
    tape.ask([user("x"), stripped, user("y"), model_text("B"), user("z")], model_text("C"))
    assert said(tape) == []


def test_code_that_ran_at_googles_needs_its_own():
    code = {"executableCode": {"language": "PYTHON", "code": "1+1"}}
    outcome = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}}
    tape = Tape()
    tape.ask([user("x")], calls({**code, "thoughtSignature": S1}, outcome, call("a", signature=S2)))
    tape.ask(
        [user("x"), calls(code, outcome, call("a", signature=S2)), results(result("a", {}))], model_text("k")
    )

    assert found(tape.violations(), RULE) == [("error", "/contents/1/parts/0")]


def test_image_models_are_missing_signatures_business():
    tape = Tape("gemini-3-pro-image-preview")
    tape.ask([user("x")], signed("A", S1))
    tape.ask([user("x"), model_text("A"), user("y")], model_text("k"))

    assert said(tape) == []
