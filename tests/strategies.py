"""Hypothesis strategies: any JSON at all, and request bodies in the shapes that clients send and that nobody should."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

INT64 = st.integers(min_value=-(2**63), max_value=2**64 - 1)
SCALARS = st.none() | st.booleans() | INT64 | st.floats(allow_nan=False, allow_infinity=False) | st.text()


_TEXT = st.text()


def values(leaves: st.SearchStrategy[Any] = SCALARS, names: st.SearchStrategy[str] = _TEXT) -> Any:
    """JSON values of a few levels."""
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
        max_leaves=12,
    )


# Keys that mean something somewhere, in both spellings, so that wrong types and wrong places are hit often.
KEYS = st.sampled_from(
    [
        *("contents", "messages", "request", "tools", "systemInstruction", "system_instruction", "model"),
        *("role", "parts", "text", "thought", "thoughtSignature", "thought_signature", "id", "name"),
        *("functionCall", "function_call", "functionResponse", "function_response", "args", "response"),
        *("generationConfig", "generation_config", "inlineData", "data", "sizeBytes", "file", "labels"),
        *("functionDeclarations", "parameters", "properties", "items", "anyOf", "enum", "default"),
        *(
            "candidates",
            "content",
            "index",
            "finishReason",
            "error",
            "partialArgs",
            "willContinue",
            "jsonPath",
        ),
        *("stringValue", "numberValue", "boolValue", "nullValue", "tool_calls", "session_id", "project"),
        *("promptFeedback", "blockReason", "usageMetadata", "modelVersion", "", "a.b", "x"),
    ]
)
LEAVES = SCALARS | st.sampled_from(
    [
        "user",
        "MODEL",
        "function",
        "-_-_",
        "AA==",
        "12",
        "--5",
        "-",
        "$.a.b[0]",
        "$.a[2]",
        "$",
        "$.a['b']",
        "STOP",
    ]
)
HOSTILE = values(LEAVES, KEYS)
"""Known keys with values of every type in every place."""

CONTENTS = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "model", "USER", "function", ""]) | st.none(),
        "parts": st.lists(st.dictionaries(KEYS, values(LEAVES, KEYS), max_size=3), max_size=3)
        | st.dictionaries(KEYS, LEAVES, max_size=2),
    },
)
_LISTS = st.lists(CONTENTS | HOSTILE, max_size=4) | CONTENTS | HOSTILE
GENERATE = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("contents", "messages", "tools"), _LISTS),
        **dict.fromkeys(("systemInstruction", "system_instruction", "generationConfig"), HOSTILE),
        "model": st.text() | HOSTILE,
    },
)
BODIES = (
    GENERATE
    | st.fixed_dictionaries({"request": GENERATE | HOSTILE}, optional={"contents": _LISTS})
    | HOSTILE
    | values()
)
"""Request bodies: plain, wrapped as on Code Assist, with single objects for lists, and anything else."""
