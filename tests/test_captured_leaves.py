"""Changing any one value of a captured request, in its own cassette, is a miss that names that place and both values."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.models import Exchange
from gemtape.replay.answering import Options, Verdict
from gemtape.replay.deck import Asked, Deck
from tests.captures import CAPTURES, capture_exchanges, is_upload_leg
from tests.factories import cassette_of

Keys = tuple[str | int, ...]

VOLATILE = {
    *("id", "tool_call_id", "thoughtSignature", "thought_signature", "thoughtsignature", "signature"),
    *("session_id", "sessionId", "user_prompt_id", "userPromptId", "requestId", "project"),
    "/systemInstruction/role",
}
"""What never counts, wherever the API has it."""
USER_DATA = {"args", "response", "parameters", "parametersJsonSchema", "parameters_json_schema", "arguments"}


def longest(path: Path) -> Exchange | None:
    """The captured request with the longest history of a client; its cassette holds all the others."""
    items = [item for item in capture_exchanges(path) if not is_upload_leg(item) and item.request.body]
    return max(items, key=lambda item: len(item.request.body), default=None)


LONGEST = [pytest.param(path, item, id=path.stem) for path in CAPTURES if (item := longest(path))]


def test_there_are_ten_of_them():
    assert len(LONGEST) >= 10


@pytest.mark.parametrize(("path", "item"), LONGEST)
def test_changed_leaf_is_a_miss_that_names_it(tmp_path: Path, path: Path, item: Exchange):
    cassette = cassette_of(tmp_path / "run.db", capture_exchanges(path))
    body = json.loads(item.request.body)
    deck = Deck(cassette, Options(lenient=True))
    kept: set[str] = set()
    missed = 0
    for leaf in leaves(body):
        value = at(body, leaf)
        request = replace(item.request, body=json.dumps(changed(body, leaf, other(value))).encode())
        kind = request.header("content-type") or ""

        reply = deck.answer(
            Asked(request.method, request.path, request.query, kind, request.body),
            lambda asked=request: asked,
        )

        if reply.verdict is not Verdict.MISS:
            kept.add(left_out(leaf))
            continue
        missed += 1
        error = json.loads(b"".join(chunk.data for chunk in reply.answer.chunks))
        facts = (error[0] if isinstance(error, list) else error)["error"]["details"][0]["metadata"]
        named = facts["pointer"] == "/model" or camel(facts["pointer"]).startswith(camel(pointer(leaf)))
        assert named, (leaf, reply.note)
        assert facts["recorded"] != facts["got"]
    deck.close()
    assert kept <= VOLATILE, "nothing else may be left out"
    assert missed > 1


def leaves(value: Any, path: Keys = ()) -> Iterator[Keys]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not items:
        yield path
    for key, item in items:
        yield from leaves(item, (*path, key))


def left_out(leaf: Keys) -> str:
    """The name of a value that did not count; user data always counts."""
    if USER_DATA & set(leaf) or leaf == ("systemInstruction", "role"):
        return pointer(leaf)
    return str(next(key for key in reversed(leaf) if isinstance(key, str)))


def at(value: Any, path: Keys) -> Any:
    for key in path:
        value = value[key]
    return value


def changed(value: Any, path: Keys, to: Any) -> Any:
    twin = copy.deepcopy(value)
    at(twin, path[:-1])[path[-1]] = to
    return twin


def other(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}x" if isinstance(value, str) else {"changed": 1}


def pointer(path: Keys) -> str:
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in path)


def camel(text: str) -> str:
    """A pointer without the spelling of its keys."""
    return text.replace("_", "").lower()
