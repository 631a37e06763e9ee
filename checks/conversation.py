"""A history as the API reads it: runs of equal roles, their calls and responses, turns and steps.

A *run* is a maximal sequence of contents of one role (function and tool count as user): the API merges them before it
pairs calls with responses. A *step* is a model run with calls and the user run that answers it. A *turn* starts at the
newest user content that is a prompt. Everything here hangs on `Turn`, so it is worked out once per history.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..cassettes.pairing import Named, named, pair
from ..cassettes.partial_args import fold_partial_calls, is_partial
from ..cassettes.turns import Turn

_RUN = "run"
_USER_ROLES = frozenset({"user", "function", "tool"})
_PROMPT_DATA = ("text", "inlineData", "fileData")


class PartAt(NamedTuple):
    """A part and where it stands: content and part indices from 0."""

    content: int
    part: int
    value: dict[str, Any]

    @property
    def signature(self) -> str | None:
        """Its thought signature in normal form; None where it has none or an empty one."""
        signature = self.value.get("thoughtSignature")
        return signature if isinstance(signature, str) and signature else None


@dataclass(frozen=True)
class Call:
    """A function call in a history; streamed arguments count as one call at their first part."""

    at: PartAt
    value: dict[str, Any]

    @cached_property
    def named(self) -> Named:
        """Its id and name."""
        return named(self.value)

    @property
    def name(self) -> str:
        """Its name, empty where it has none."""
        return self.named.name or ""

    @property
    def args(self) -> Any:
        """Its arguments; missing ones are an empty object."""
        return self.value.get("args", {})


@dataclass(frozen=True)
class Response:
    """A function response in a history."""

    at: PartAt
    value: dict[str, Any]

    @cached_property
    def named(self) -> Named:
        """Its id and name."""
        return named(self.value)

    @property
    def asynchronous(self) -> bool:
        """Whether it answers an asynchronous call (Live API): those may come in several pieces, or later."""
        return bool(self.value.get("willContinue")) or "scheduling" in self.value


@dataclass(frozen=True, eq=False)
class Run:
    """Contents of one role in a row, up to `last`; `before` is the complete run in front of it."""

    role: str
    first: Turn
    last: Turn
    before: Run | None

    @property
    def start(self) -> int:
        """The index of its first content."""
        return self.first.depth - 1

    @cached_property
    def contents(self) -> list[Turn]:
        """Its contents in order."""
        found: list[Turn] = []
        for turn in self.last.back():
            found.append(turn)
            if turn is self.first:
                break
        return found[::-1]

    @cached_property
    def parts(self) -> list[PartAt]:
        """Its parts that are objects, over all contents."""
        return [
            PartAt(turn.depth - 1, index, part)
            for turn in self.contents
            for index, part in enumerate(turn.parts)
            if isinstance(part, dict)
        ]

    @cached_property
    def whole(self) -> list[PartAt]:
        """Its parts; a call whose arguments were streamed is one part, where it began."""
        groups: list[list[PartAt]] = []
        streaming: list[PartAt] | None = None
        for at in self.parts:
            call = at.value.get("functionCall")
            if not isinstance(call, dict):
                groups.append([at])
                continue
            if streaming is None or call.get("name"):
                streaming = []
                groups.append(streaming)
            streaming.append(at)
            if not call.get("willContinue"):
                streaming = None
        return [_folded(group) for group in groups]

    @cached_property
    def calls(self) -> list[Call]:
        """Its function calls, in order."""
        found: list[Call] = []
        streaming = False
        for at in self.parts:
            call = at.value.get("functionCall")
            if not isinstance(call, dict) or at.value.get("thought") is True:
                continue
            if not (streaming and not call.get("name")):
                found.append(Call(at, call))
            streaming = bool(call.get("willContinue"))
        return found

    @cached_property
    def responses(self) -> list[Response]:
        """Its function responses, in order."""
        found = ((at, at.value.get("functionResponse")) for at in self.parts)
        return [Response(at, value) for at, value in found if isinstance(value, dict)]

    @cached_property
    def open_calls(self) -> list[Call]:
        """Its calls but for those that it answers itself: tool servers that the API asks respond in the model's content."""
        if not self.responses:
            return self.calls
        closed = set(
            pair([call.named for call in self.calls], [response.named for response in self.responses])
        )
        return [call for index, call in enumerate(self.calls) if index not in closed]

    @property
    def prompts(self) -> bool:
        """Whether one of its contents starts a turn: the user's own words or files, and no response beside them."""
        return self.role == "user" and any(_is_prompt(turn) for turn in self.contents)

    @property
    def plainly_prompts(self) -> bool:
        """Whether it starts a turn even if the API reads its contents as one: it holds no response at all."""
        return self.prompts and not self.responses

    @cached_property
    def step(self) -> Step | None:
        """The step that a user run answers: many rules ask."""
        before = self.before
        if self.role != "user" or before is None or before.role != "model" or not before.open_calls:
            return None
        calls = [call.named for call in before.open_calls]
        answered = pair(calls, [response.named for response in self.responses])
        # What neither id nor name could pair is paired in order: one wrong name must not read as a lost response.
        taken = set(answered)
        free = iter([index for index in range(len(calls)) if index not in taken])
        answered = [next(free, None) if index is None else index for index in answered]
        return Step(before.open_calls, self.responses, answered)


class Step(NamedTuple):
    """Calls and the responses to them; `answered` gives for each response the index of its call, or None."""

    calls: list[Call]
    responses: list[Response]
    answered: list[int | None]


def run_of(turn: Turn) -> Run | None:
    """The run that ends with this turn; None for the empty history."""
    if turn.parent is None:
        return None
    known = turn.notes.get(_RUN)
    if known is not None:
        return known
    missing: list[Turn] = []
    for step in turn.back():
        if _RUN in step.notes:
            break
        missing.append(step)
    for step in reversed(missing):
        step.notes[_RUN] = _run_ending_with(step)
    return turn.notes[_RUN]


def step_before(run: Run) -> Step | None:
    """The step that a user run answers; None where no model run with calls stands before it."""
    return run.step


def client_content(turn: Turn) -> bool:
    """Whether a content is the client's own: anything but the model's."""
    return turn.role != "model"


def _folded(pieces: list[PartAt]) -> PartAt:
    first = pieces[0]
    call = first.value.get("functionCall")
    if not isinstance(call, dict) or not is_partial(call):
        return first
    return PartAt(first.content, first.part, fold_partial_calls([at.value for at in pieces])[0])


def _run_ending_with(turn: Turn) -> Run:
    role = "user" if turn.role in _USER_ROLES else turn.role
    parent = turn.parent
    before = parent.notes.get(_RUN) if parent is not None else None
    if before is not None and before.role == role:
        return Run(role, before.first, turn, before.before)
    return Run(role, turn, turn, before)


def _is_prompt(turn: Turn) -> bool:
    parts = [part for part in turn.parts if isinstance(part, dict)]
    if any("functionResponse" in part for part in parts):
        return False
    return any(key in part for part in parts for key in _PROMPT_DATA)
