"""Valid conversations of every shape, and one mutator for each kind of fault that a client can bring into them."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from gemtape.cassettes.models import Exchange
from tests.factories import answer_body, exchange, sse, unary

Contents = list[dict[str, Any]]
FUNCTIONS = ("get_weather", "get_time", "find_pallet")
DECLARATIONS = [
    {
        "name": name,
        "description": f"Tells what {name} tells",
        "parameters": {"type": "OBJECT", "properties": {"key": {"type": "STRING"}}, "required": ["key"]},
    }
    for name in FUNCTIONS
]
_EITHER = st.booleans()
BODY: dict[str, Any] = {"tools": [{"functionDeclarations": DECLARATIONS}]}


def signature(number: int) -> str:
    """A signature as the API issues them: standard base64 of opaque bytes."""
    return base64.b64encode(bytes((number * 37 + at * 11) % 256 for at in range(60))).decode()


@dataclass
class Conversation:
    """What a faithful client and the model said; each answer belongs to the history in front of it."""

    model: str
    streamed: bool
    ids: bool
    contents: Contents = field(default_factory=list)

    @property
    def asked_at(self) -> list[int]:
        """The index of each content that the model answered with."""
        return [at for at, content in enumerate(self.contents) if content["role"] == "model"]

    def exchanges(self, upto: int) -> list[Exchange]:
        """The exchanges whose answers stand in the first `upto` contents."""
        return [self._exchange(at) for at in self.asked_at if at < upto]

    def request(self, contents: Contents, at: float, **more: Any) -> Exchange:
        """A request with other contents, at a later time."""
        answer = {"role": "model", "parts": [{"text": "ok"}]}
        return exchange(contents, answer, model=self.model, at=at, **{**BODY, **more})

    def _exchange(self, at: int) -> Exchange:
        answer = self.contents[at]
        history = self.contents[:at]
        if not self.streamed:
            return exchange(history, unary(answer_body(answer)), model=self.model, at=float(at), **BODY)
        events = [answer_body({"role": "model", "parts": [part]}) for part in answer["parts"]]
        for event in events[:-1]:
            del event["candidates"][0]["finishReason"]
        path = f"/v1beta/models/{self.model}:streamGenerateContent"
        return exchange(history, sse(*events), path=path, query="alt=sse", at=float(at), **BODY)


@st.composite
def conversations(
    draw: st.DrawFn,
    models: tuple[str, ...] = ("gemini-3-pro-preview",),
    ids: st.SearchStrategy[bool] = _EITHER,
) -> Conversation:
    """Turns of zero to three steps, each of one to three parallel calls; the last turn has a step and is still open."""
    made = Conversation(draw(st.sampled_from(models)), draw(st.booleans()), draw(ids))
    turns = draw(st.lists(st.lists(st.integers(1, 3), max_size=3), min_size=1, max_size=3))
    turns[-1] = turns[-1] or [draw(st.integers(1, 3))]
    for number, steps in enumerate(turns):
        made.contents.append({"role": "user", "parts": [{"text": f"Question {number}?"}]})
        for step, width in enumerate(steps):
            made.contents += _step(made, number * 10 + step, width)
        if number < len(turns) - 1:
            text = {"text": f"Answer {number}.", "thoughtSignature": signature(100 + number)}
            made.contents.append({"role": "model", "parts": [text]})
    return made


def _step(made: Conversation, number: int, width: int) -> Contents:
    calls: list[dict[str, Any]] = []
    responses: list[dict[str, Any]] = []
    for at in range(width):
        ids = {"id": f"c{number}x{at}"} if made.ids else {}
        name = FUNCTIONS[at]
        calls.append({"functionCall": {**ids, "name": name, "args": {"key": f"k{number}"}}})
        responses.append({"functionResponse": {**ids, "name": name, "response": {"value": number * 10 + at}}})
    calls[0]["thoughtSignature"] = signature(number)
    return [{"role": "model", "parts": calls}, {"role": "user", "parts": responses}]


@dataclass(frozen=True)
class Fault:
    """What a mutator did: where the finding belongs, and the body's further keys where it changed those."""

    pointer: str
    body: dict[str, Any] = field(default_factory=dict)


Apply = Callable[[Conversation, Contents], "Fault | None"]


@dataclass(frozen=True)
class Mutator:
    """A kind of fault. It applies to the last request; None means that the conversation has no place for it."""

    name: str
    rule: str
    severity: str
    apply: Apply
    consequences: frozenset[str] = frozenset()
    model: str = "gemini-3-pro-preview"

    def __str__(self) -> str:
        return self.name


def _last_step(contents: Contents) -> tuple[int, list[dict[str, Any]], list[dict[str, Any]]]:
    """The index of the last model content, its parts, and the parts that answer it."""
    return len(contents) - 2, contents[-2]["parts"], contents[-1]["parts"]


def _set_signature(make: Callable[[str], str | None]) -> Apply:
    def apply(_: Conversation, contents: Contents) -> Fault:
        at, calls, _responses = _last_step(contents)
        changed = make(calls[0].pop("thoughtSignature"))
        if changed is not None:
            calls[0]["thoughtSignature"] = changed
        return Fault(f"/contents/{at}/parts/0")

    return apply


def _flip(text: str) -> str:
    return text[:20] + ("A" if text[20] != "A" else "B") + text[21:]


def _move_to_sibling(_: Conversation, contents: Contents) -> Fault | None:
    at, calls, _responses = _last_step(contents)
    if len(calls) < 2:
        return None
    calls[1]["thoughtSignature"] = calls[0].pop("thoughtSignature")
    return Fault(f"/contents/{at}/parts/1")


def _move_to_response(_: Conversation, contents: Contents) -> Fault:
    at, calls, responses = _last_step(contents)
    responses[0]["thoughtSignature"] = calls[0].pop("thoughtSignature")
    return Fault(f"/contents/{at + 1}/parts/0")


def _move_into_call(_: Conversation, contents: Contents) -> Fault:
    at, calls, _responses = _last_step(contents)
    calls[0]["functionCall"]["thoughtSignature"] = calls[0].pop("thoughtSignature")
    return Fault(f"/contents/{at}/parts/0/functionCall/thoughtSignature")


def _swap_steps(_: Conversation, contents: Contents) -> Fault | None:
    at, calls, _responses = _last_step(contents)
    if at < 2 or "functionCall" not in contents[at - 2]["parts"][0]:
        return None
    calls[0]["thoughtSignature"] = contents[at - 2]["parts"][0]["thoughtSignature"]
    return Fault(f"/contents/{at}/parts/0")


def _lose_response(_: Conversation, contents: Contents) -> Fault | None:
    at, _calls, responses = _last_step(contents)
    if len(responses) < 2:
        return None
    responses.pop()
    return Fault(f"/contents/{at + 1}")


def _answer_with_text(_: Conversation, contents: Contents) -> Fault:
    contents[-1] = {"role": "user", "parts": [{"text": "Never mind."}]}
    return Fault(f"/contents/{len(contents) - 2}/parts/0")


def _drop_calls(_: Conversation, contents: Contents) -> Fault:
    del contents[-2]
    return Fault(f"/contents/{len(contents) - 1}/parts/0")


def _drop_text(_: Conversation, contents: Contents) -> Fault | None:
    for at, content in enumerate(contents):
        if content["role"] == "model" and "text" in content["parts"][0]:
            del contents[at]
            return Fault(f"/contents/{at}")
    return None


def _change_response(**change: Any) -> Apply:
    def apply(_: Conversation, contents: Contents) -> Fault:
        at, _calls, responses = _last_step(contents)
        responses[0]["functionResponse"].update(change)
        return Fault(f"/contents/{at + 1}/parts/0")

    return apply


def _response_is_a_list(_: Conversation, contents: Contents) -> Fault:
    contents[-1]["parts"][0]["functionResponse"]["response"] = [1, 2]
    return Fault(f"/contents/{len(contents) - 1}/parts/0/functionResponse/response")


def _invent_id(made: Conversation, contents: Contents) -> Fault | None:
    return _change_response(id="item_7")(made, contents) if made.ids else None


def _share_id(made: Conversation, contents: Contents) -> Fault | None:
    at, _calls, responses = _last_step(contents)
    if not made.ids or len(responses) < 2:
        return None
    responses[1]["functionResponse"]["id"] = responses[0]["functionResponse"]["id"]
    return Fault(f"/contents/{at + 1}/parts/1")


def _reverse_responses(made: Conversation, contents: Contents) -> Fault | None:
    at, _calls, responses = _last_step(contents)
    if made.ids or len(responses) < 2:
        return None
    responses.reverse()
    return Fault(f"/contents/{at + 1}")


def _add_text(_: Conversation, contents: Contents) -> Fault:
    at, _calls, responses = _last_step(contents)
    responses.append({"text": "And hurry."})
    return Fault(f"/contents/{at + 1}/parts/{len(responses) - 1}")


def _split_responses(_: Conversation, contents: Contents) -> Fault | None:
    at, _calls, responses = _last_step(contents)
    if len(responses) < 2:
        return None
    contents[-1:] = [{"role": "user", "parts": [part]} for part in responses]
    return Fault(f"/contents/{at + 1}")


def _edit_args(_: Conversation, contents: Contents) -> Fault:
    at, calls, _responses = _last_step(contents)
    calls[0]["functionCall"]["args"] = {"key": "edited"}
    return Fault(f"/contents/{at}/parts/0")


def _lose_call(_: Conversation, contents: Contents) -> Fault | None:
    at, calls, responses = _last_step(contents)
    if len(calls) < 2:
        return None
    calls.pop()
    responses.pop()
    return Fault(f"/contents/{at}")


def _edit_text(_: Conversation, contents: Contents) -> Fault | None:
    for at, content in enumerate(contents):
        if content["role"] == "model" and "text" in content["parts"][0]:
            content["parts"][0]["text"] = "Something else entirely."
            return Fault(f"/contents/{at}/parts/0")
    return None


def _calls_under_user(_: Conversation, contents: Contents) -> Fault:
    contents[-2]["role"] = "user"
    return Fault(f"/contents/{len(contents) - 2}/parts/0")


def _responses_under_function(_: Conversation, contents: Contents) -> Fault:
    contents[-1]["role"] = "function"
    return Fault(f"/contents/{len(contents) - 1}/role")


def _start_with_call(_: Conversation, contents: Contents) -> Fault:
    del contents[:-2]
    return Fault("/contents/0")


def _end_with_model(_: Conversation, contents: Contents) -> Fault:
    contents.append({"role": "model", "parts": [{"text": "So the answer is"}]})
    return Fault(f"/contents/{len(contents) - 1}")


def _empty(_: Conversation, contents: Contents) -> Fault:
    contents.insert(0, {"role": "user", "parts": []})
    return Fault("/contents/0")


def _args_as_text(_: Conversation, contents: Contents) -> Fault:
    at, calls, _responses = _last_step(contents)
    calls[0]["functionCall"]["args"] = json.dumps(calls[0]["functionCall"]["args"])
    return Fault(f"/contents/{at}/parts/0/functionCall/args")


def _body(pointer: str, **body: Any) -> Apply:
    return lambda _made, _contents: Fault(pointer, body)


def _twice() -> dict[str, Any]:
    return {"tools": [*copy.deepcopy(BODY["tools"]), {"functionDeclarations": [DECLARATIONS[0]]}]}


def _badly_named() -> dict[str, Any]:
    return {"tools": [{"functionDeclarations": [*DECLARATIONS, {"name": "9 lives", "description": "Bad"}]}]}


def _calling(**config: Any) -> dict[str, Any]:
    return {"toolConfig": {"functionCallingConfig": config}}


MUTATORS = (
    Mutator("signature lost", "missing-signature", "error", _set_signature(lambda _: None)),
    Mutator("signature edited", "altered-signature", "error", _set_signature(_flip)),
    Mutator("signature truncated", "altered-signature", "error", _set_signature(lambda old: old[:40])),
    Mutator(
        "signature encoded twice",
        "altered-signature",
        "error",
        _set_signature(lambda old: base64.b64encode(old.encode()).decode()),
    ),
    Mutator("signatures joined", "altered-signature", "error", _set_signature(lambda old: old + signature(99))),
    Mutator("signature not base64", "altered-signature", "error", _set_signature(lambda _: "not base64!")),
    Mutator("signature bypassed", "bypassed-signature", "info", _set_signature(lambda _: "skip_thought_signature_validator")),
    Mutator("signature on a sibling", "moved-signature", "error", _move_to_sibling, frozenset({"missing-signature"})),
    Mutator("signature on a response", "moved-signature", "error", _move_to_response, frozenset({"missing-signature"})),
    Mutator("signature inside the call", "moved-signature", "error", _move_into_call, frozenset({"missing-signature", "conflicting-config"})),
    Mutator("signature of another step", "moved-signature", "error", _swap_steps),
    Mutator("response lost", "unanswered-call", "error", _lose_response),
    Mutator("text instead of responses", "unanswered-call", "error", _answer_with_text),
    Mutator("call turn dropped", "orphan-response", "error", _drop_calls, frozenset({"dropped-model-turn"})),
    Mutator("text turn dropped", "dropped-model-turn", "error", _drop_text),
    Mutator("response renamed", "mismatched-name", "error", _change_response(name="call_7")),
    Mutator("response unnamed", "mismatched-name", "error", _change_response(name="")),
    Mutator("id invented", "mismatched-id", "error", _invent_id),
    Mutator("id shared", "duplicate-id", "error", _share_id, frozenset({"mismatched-id", "mismatched-name"})),
    Mutator("responses reversed", "reordered-responses", "warning", _reverse_responses),
    Mutator("text beside responses", "mixed-response", "warning", _add_text),
    Mutator("responses split", "split-responses", "warning", _split_responses),
    Mutator("args edited", "altered-model-turn", "error", _edit_args),
    Mutator("call lost", "altered-model-turn", "error", _lose_call),
    Mutator("text edited", "altered-model-turn", "warning", _edit_text),
    Mutator("calls under user", "misplaced-part", "error", _calls_under_user, frozenset({"orphan-response", "dropped-model-turn", "moved-signature"})),
    Mutator("responses under function", "wrong-role", "error", _responses_under_function),
    Mutator("window opens on a call", "wrong-start", "error", _start_with_call, frozenset({"dropped-model-turn"})),
    Mutator("history ends with the model", "trailing-model-turn", "error", _end_with_model, model="gemini-3.6-flash"),
    Mutator("content without parts", "empty-content", "error", _empty),
    Mutator("response is a list", "malformed-part", "error", _response_is_a_list),
    Mutator("args are text", "malformed-part", "error", _args_as_text, frozenset({"altered-model-turn"})),
    Mutator("function declared twice", "duplicate-declaration", "error", _body("/tools/1/functionDeclarations/0", **_twice())),
    Mutator("function badly named", "invalid-declaration", "error", _body("/tools/0/functionDeclarations/3/name", **_badly_named())),
    Mutator("allowed names in mode AUTO", "unusable-allowed-names", "error", _body("/toolConfig/functionCallingConfig/allowedFunctionNames", **_calling(mode="AUTO", allowedFunctionNames=["get_time"]))),
    Mutator("allowed name not declared", "unusable-allowed-names", "error", _body("/toolConfig/functionCallingConfig/allowedFunctionNames/0", **_calling(mode="ANY", allowedFunctionNames=["nobody"]))),
    Mutator("cached content with tools", "conflicting-config", "error", _body("/cachedContent", cachedContent="cachedContents/abc")),
    Mutator("tools left out", "conflicting-config", "warning", _body("/tools", tools=[])),
)  # fmt: skip
