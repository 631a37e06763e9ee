"""Whatever JSON a client sends and a server answers: the checks say something about it, or nothing, and never fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gemtape.cassettes.models import Chunk, Exchange, Request, Response
from gemtape.cassettes.store import Cassette
from gemtape.checks.finding import Severity
from gemtape.checks.judge import Judge
from tests.factories import SIGNATURE, call, calls, result, results, unary, user

PATHS = (
    "/v1beta/models/gemini-3.6-flash:generateContent",
    "/v1beta/models/gemini-2.5-flash:generateContent",
    "/v1beta/models/gemini-3-pro-image-preview:streamGenerateContent",
    "/v1/projects/p/locations/global/publishers/google/models/gemini-3-pro-preview:generateContent",
    "/v1internal:generateContent",
)
# What the API's own JSON is made of, in both spellings, so that random values get deep into the rules.
KEYS = st.sampled_from(
    [
        *(
            "contents",
            "role",
            "parts",
            "text",
            "functionCall",
            "function_call",
            "functionResponse",
            "name",
            "id",
            "args",
        ),
        *(
            "function_response",
            "response",
            "thought",
            "thoughtSignature",
            "thought_signature",
            "inlineData",
            "toolCall",
        ),
        *(
            "toolResponse",
            "toolType",
            "tools",
            "functionDeclarations",
            "parameters",
            "parametersJsonSchema",
            "type",
        ),
        *(
            "properties",
            "required",
            "enum",
            "items",
            "toolConfig",
            "functionCallingConfig",
            "mode",
            "request",
            "model",
        ),
        *(
            "allowedFunctionNames",
            "cachedContent",
            "systemInstruction",
            "generationConfig",
            "candidates",
            "content",
        ),
        *(
            "partialArgs",
            "willContinue",
            "jsonPath",
            "finishReason",
            "error",
            "status",
            "messages",
            "googleSearch",
        ),
    ]
)
WORDS = st.sampled_from(
    [
        "user",
        "model",
        "function",
        "system",
        "ANY",
        "AUTO",
        "get_weather",
        "STRING",
        "object",
        "a1",
        SIGNATURE,
        "$.a[0]",
        "",
    ]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    WORDS,
    st.text(max_size=20),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(KEYS, st.text(max_size=5)), inner, max_size=6)
    ),
    max_leaves=25,
)


@st.composite
def parts(draw: st.DrawFn) -> Any:
    """A part of a known kind with anything inside, or anything."""
    kind = draw(
        st.sampled_from(
            ["text", "functionCall", "functionResponse", "toolCall", "toolResponse", "inlineData", None]
        )
    )
    if kind is None:
        return draw(VALUES)
    inner = st.one_of(
        VALUES,
        st.fixed_dictionaries(
            {},
            optional={
                "name": st.one_of(WORDS, VALUES),
                "id": st.one_of(WORDS, VALUES),
                "args": VALUES,
                "response": VALUES,
                "willContinue": VALUES,
                "scheduling": VALUES,
                "toolType": VALUES,
            },
        ),
    )
    more = st.dictionaries(KEYS, VALUES, max_size=2)
    return {**draw(more), kind: draw(inner)}


CONTENTS = st.one_of(
    VALUES, st.fixed_dictionaries({"role": st.one_of(WORDS, VALUES), "parts": st.lists(parts(), max_size=4)})
)
BODIES = st.one_of(
    VALUES,
    st.fixed_dictionaries(
        {"contents": st.one_of(st.lists(CONTENTS, max_size=6), VALUES)},
        optional={
            "tools": VALUES,
            "toolConfig": VALUES,
            "cachedContent": VALUES,
            "systemInstruction": VALUES,
            "request": VALUES,
        },
    ),
)
ANSWERS = st.one_of(
    VALUES,
    st.fixed_dictionaries({"candidates": st.lists(st.fixed_dictionaries({"content": CONTENTS}), max_size=2)}),
)
STEPS = st.lists(
    st.tuples(st.sampled_from(PATHS), BODIES, ANSWERS, st.sampled_from([200, 400, 503])),
    min_size=1,
    max_size=3,
)


@pytest.fixture(scope="module")
def cassette() -> Iterator[Cassette]:
    with Cassette.temporary() as opened:
        yield opened


def _exchange(path: str, body: Any, answer: Any, status: int, at: float) -> Exchange:
    request = Request("POST", path, "", (), body if isinstance(body, bytes) else json.dumps(body).encode())
    return Exchange(request, unary(answer, status), started_at=at, duration_ms=10)


def _judge(cassette: Cassette, steps: list[tuple[str, Any, Any, int]], judge: Judge) -> list[Any]:
    violations = []
    for at, step in enumerate(steps, 1):
        entry = cassette.prepare(_exchange(*step, at=float(at)))
        judge.findings(entry)
        violations += judge.judge(entry)
    return violations


@given(steps=STEPS, as_model=st.sampled_from(["", "gemini-3.6-flash", "gemini-2.5-pro"]))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_raises_and_what_is_said_can_be_reported(cassette: Cassette, steps: list, as_model: str):
    violations = _judge(cassette, steps, Judge(as_model=as_model))

    for item in violations:
        assert item.severity in list(Severity)
        assert item.pointer == "" or item.pointer.startswith("/")
    json.dumps([vars(item) if hasattr(item, "__dict__") else str(item) for item in violations])


def _nested(depth: int, leaf: Any = 1) -> Any:
    for _ in range(depth):
        leaf = {"a": [leaf]}
    return leaf


QUESTION = user("Weather?")
HUGE = "x" * 200_000
HOSTILE = {
    "deep args": [
        QUESTION,
        calls(call("f", _nested(40), signature=SIGNATURE)),
        results(result("f", _nested(40))),
    ],
    "too deep to be JSON": b'{"contents": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "null contents": [None, None],
    "null parts": [{"role": "user", "parts": [None, None]}, {"role": "model", "parts": None}],
    "numbers for objects": [1, 2.5, {"role": 3, "parts": 4}],
    "lists for objects": [[], [[]], {"role": [], "parts": [[]]}],
    "huge text": [{"role": HUGE, "parts": [{"text": HUGE}]}],
    "huge names": [
        QUESTION,
        calls(call(HUGE, signature=HUGE, id=HUGE)),
        results(result(HUGE + "y", {}, id=HUGE + "z")),
    ],
    "many calls of one id": [
        QUESTION,
        calls(*(call("f", id="x") for _ in range(400))),
        results(*(result("g", {}, id="x") for _ in range(400))),
    ],
    "many contents": [item for _ in range(400) for item in (calls(call("f")), results(result("f", {})))],
    "surrogates": b'{"contents": [{"role": "\\ud800", "parts": [{"text": "\\udfff"}]}]}',
    "invalid UTF-8": b'{"contents": [{"parts": [{"text": "\xff"}]}]}',
    "no JSON": b"contents",
    "nothing": b"",
}


@pytest.mark.parametrize("sent", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("path", PATHS, ids=["3.6", "2.5", "image stream", "vertex", "code-assist"])
def test_malformed_histories_become_violations(cassette: Cassette, sent: Any, path: str):
    body = sent if isinstance(sent, bytes) else {"contents": sent}
    if path.startswith("/v1internal") and not isinstance(sent, bytes):
        body = {"model": "gemini-3-pro-preview", "request": body}

    violations = _judge(cassette, [(path, body, {}, 400)], Judge())

    assert "error" in [item.severity for item in violations] or sent is HOSTILE["deep args"]


@pytest.mark.parametrize(
    "answer", [b"", b"null", b"[]", b'{"candidates": 7}', b"[" * 100_000, b"\xff"], ids=repr
)
def test_hostile_answers(cassette: Cassette, answer: bytes):
    request = Request("POST", PATHS[0], "", (), json.dumps({"contents": [QUESTION]}).encode())
    for content_type in ("application/json", "text/event-stream"):
        response = Response(200, (("content-type", content_type),), (Chunk(5, answer),))

        assert Judge().judge(cassette.prepare(Exchange(request, response, started_at=1.0))) is not None
