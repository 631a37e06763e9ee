"""Texts that belong together though they lie apart: a model's text in the pieces it was streamed or sent back in.

A secret may begin in one piece and end in the next; each piece alone shows nothing. A run is what a reader would join:
the texts of one candidate over all events, one streamed argument, the texts of neighbouring contents of one role.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from .json_strings import Path


class Fragment(NamedTuple):
    """One text: the number of its event, its path in there, and what it says."""

    event: int
    path: Path
    text: str


_Found = Iterator[tuple[tuple[str, Hashable], Path, str]]
_DEEPEST_WRAPPER: Final = 4
# A delta of an interaction names itself and its bytes; all its other strings are pieces of text or of arguments.
_NO_DELTA_TEXT: Final = frozenset({"type", "id", "call_id", "name", "signature", "data", "mime_type"})


def runs(
    values: Iterable[tuple[int, Any]], cut: Iterable[tuple[int, Mapping[Path, str]]] = ()
) -> list[list[Fragment]]:
    """Texts that belong together, where there are at least two of them.

    Args:
        values: Parsed events by number, in order.
        cut: Events that do not parse, with the strings that can be read of them.
    """
    found: dict[tuple[str, Hashable], list[Fragment]] = {}
    for number, value in values:
        for lane, path, text in _texts(value, ()):
            found.setdefault(lane, []).append(Fragment(number, path, text))
    for number, strings in cut:
        for path, text in strings.items():
            kind = _kind_of(path)
            # Which candidate it was may be cut off too, so it continues every run of its kind.
            for lane in [lane for lane in found if lane[0] == kind] or [(kind, None)]:
                if kind:
                    found.setdefault(lane, []).append(Fragment(number, path, text))
    return [sorted(fragments, key=_event_of) for fragments in found.values() if len(fragments) > 1]


def _event_of(fragment: Fragment) -> int:
    return fragment.event


def _texts(value: Any, path: Path) -> _Found:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))
    if not isinstance(value, dict):
        return
    for key, read in _READERS.items():
        if key in value:
            yield from read(value, path)


def _wrapped(key: str) -> Callable[[Mapping[str, Any], Path], _Found]:
    def read(value: Mapping[str, Any], path: Path) -> _Found:
        if len(path) < _DEEPEST_WRAPPER:
            yield from _texts(value[key], (*path, key))

    return read


def _objects(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield index, item


def _index(item: Mapping[str, Any], position: int) -> int:
    index = item.get("index")
    return index if isinstance(index, int) else position


def _contents(value: Mapping[str, Any], path: Path) -> _Found:
    run = 0
    role = None
    for number, content in _objects(value.get("contents")):
        if content.get("role") != role:
            role = content.get("role")
            run += 1
        for below, text in _part_texts(content):
            yield ("contents", run), (*path, "contents", number, *below), text


def _candidates(value: Mapping[str, Any], path: Path) -> _Found:
    for position, candidate in _objects(value.get("candidates")):
        lane = _index(candidate, position)
        content = candidate.get("content")
        if not isinstance(content, dict):
            continue
        above = (*path, "candidates", position, "content")
        for below, text in _part_texts(content):
            yield ("text", lane), (*above, *below), text
        for number, part in _objects(content.get("parts")):
            call = part.get("functionCall")
            arguments = call.get("partialArgs") if isinstance(call, dict) else None
            for place, argument in _objects(arguments):
                text = argument.get("stringValue")
                if isinstance(text, str):
                    below = ("parts", number, "functionCall", "partialArgs", place, "stringValue")
                    yield ("argument", (lane, repr(argument.get("jsonPath")))), (*above, *below), text


def _part_texts(content: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    for number, part in _objects(content.get("parts")):
        text = part.get("text")
        if isinstance(text, str):
            yield ("parts", number, "text"), text


def _choices(value: Mapping[str, Any], path: Path) -> _Found:
    for position, choice in _objects(value.get("choices")):
        lane = _index(choice, position)
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            continue
        above = (*path, "choices", position, "delta")
        if isinstance(delta.get("content"), str):
            yield ("choice", lane), (*above, "content"), delta["content"]
        for number, call in _objects(delta.get("tool_calls")):
            function = call.get("function")
            text = function.get("arguments") if isinstance(function, dict) else None
            if isinstance(text, str):
                below = ("tool_calls", number, "function", "arguments")
                yield ("call", (lane, _index(call, number))), (*above, *below), text


def _delta(value: Mapping[str, Any], path: Path) -> _Found:
    delta = value.get("delta")
    if isinstance(delta, dict):
        for key, text in delta.items():
            if isinstance(text, str) and key not in _NO_DELTA_TEXT:
                yield (f"delta {key}", _index(value, 0)), (*path, "delta", key), text


_READERS: Final[dict[str, Callable[[Mapping[str, Any], Path], _Found]]] = {
    "candidates": _candidates,
    "contents": _contents,
    "choices": _choices,
    "delta": _delta,
    **{
        key: _wrapped(key)
        for key in ("response", "request", "generateContentRequest", "generate_content_request")
    },
}


def _kind_of(path: Path) -> str:
    """The kind of run that a string of a cut event belongs to by its path, empty where it belongs to none."""
    match path:
        case [*_, "candidates", int(), "content", "parts", int(), "text"]:
            return "text"
        case [*_, "functionCall", "partialArgs", int(), "stringValue"]:
            return "argument"
        case [*_, "choices", int(), "delta", "content"]:
            return "choice"
        case [*_, "choices", int(), "delta", "tool_calls", int(), "function", "arguments"]:
            return "call"
        case [*_, "delta", str(key)] if key not in _NO_DELTA_TEXT:
            return f"delta {key}"
        case _:
            return ""
