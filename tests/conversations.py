"""Long conversations of random words, as an agent sends them: the whole history again at every step."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from gemtape.cassettes.models import Exchange, Request
from tests.factories import answer_body, model_text, unary, user

_ORDER = random.Random(1)
_WORDS = ["".join(_ORDER.choices("abcdefghijklmnopqrstuvwxyz", k=_ORDER.randint(2, 9))) for _ in range(4000)]


def prose(size: int, order: random.Random) -> str:
    """About so many characters of words; they compress as prose does."""
    words: list[str] = []
    while size > 0:
        words.append(order.choice(_WORDS))
        size -= len(words[-1]) + 1
    return " ".join(words)


def conversation(
    steps: int, *, tools: int = 4096, piece: int = 1500, new_instructions: bool = False
) -> Iterator[Exchange]:
    """One exchange a step: `piece` characters of new history, as much of an answer, `tools` characters of declarations."""
    order = random.Random(2)
    declarations: list[dict[str, Any]] = [
        {"name": f"tool{at}", "description": prose(tools // 4 - 100, order), "parameters": {"type": "OBJECT"}}
        for at in range(4)
    ]
    history: list[str] = []
    for step in range(1, steps + 1):
        history.append(json.dumps(user(prose(piece - 50, order))))
        instruction = {"parts": [{"text": prose(1000, order) if new_instructions else "Be brief."}]}
        rest = {"tools": [{"functionDeclarations": declarations}], "systemInstruction": instruction}
        # Put together as text: making JSON of a long history again and again is most of the time such a test takes.
        body = f'{{"contents": [{", ".join(history)}], {json.dumps(rest)[1:]}'
        content = model_text(prose(piece - 50, order))
        yield Exchange(
            Request("POST", "/v1beta/models/gemini-3-pro:generateContent", body=body.encode()),
            unary(answer_body(content, usageMetadata={"promptTokenCount": step})),
            started_at=float(step),
            duration_ms=9,
        )
        history.append(json.dumps(content))
