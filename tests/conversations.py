"""Long conversations of random words, as an agent sends them: the whole history again at every step."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from gemtape.cassettes.models import Exchange, Request, Response
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


class Step(NamedTuple):
    """What one step of a conversation adds to the history, what else its request holds, and its answer."""

    added: list[dict[str, Any]]
    rest: dict[str, Any]
    response: Response


def steps(
    count: int, *, tools: int = 4096, piece: int = 1500, new_instructions: bool = False
) -> Iterator[Step]:
    """Steps of `piece` characters of new history and as much of an answer, with `tools` characters of declarations."""
    order = random.Random(2)
    declarations: list[dict[str, Any]] = [
        {"name": f"tool{at}", "description": prose(tools // 4 - 100, order), "parameters": {"type": "OBJECT"}}
        for at in range(4)
    ]
    answered: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        instruction = {"parts": [{"text": prose(1000, order) if new_instructions else "Be brief."}]}
        content = model_text(prose(piece - 50, order))
        yield Step(
            [*answered, user(prose(piece - 50, order))],
            {"tools": [{"functionDeclarations": declarations}], "systemInstruction": instruction},
            unary(answer_body(content, usageMetadata={"promptTokenCount": number})),
        )
        answered = [content]


def conversation(count: int, **kind: Any) -> Iterator[Exchange]:
    """The exchanges of such steps; keyword arguments as for `steps`."""
    history: list[str] = []
    for number, step in enumerate(steps(count, **kind), 1):
        history += map(json.dumps, step.added)
        # Put together as text: making JSON of a long history again and again is most of the time such a test takes.
        body = f'{{"contents": [{", ".join(history)}], {json.dumps(step.rest)[1:]}'
        request = Request("POST", "/v1beta/models/gemini-3-pro:generateContent", body=body.encode())
        yield Exchange(request, step.response, started_at=float(number), duration_ms=9)
