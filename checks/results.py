"""Whether a function's result says that it failed.

An error result holds a truthy ``error``, ``errors``, ``exception``, ``isError`` or ``is_error``, or ``status`` or
``state`` of error, failed, rejected, denied or invalid, or ``ok`` or ``success`` false: at top level or under ``result``
or ``output``. Frameworks put what a tool returned there as text: JSON in it is looked into, and a text that begins with
``Error:`` is an error. Configuration adds pointers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..cassettes.canonical import NOT_JSON, parse

_TRUTHY: Final = ("error", "errors", "exception", "isError", "is_error")
_STATES: Final = ("status", "state")
_FAILED: Final = frozenset({"error", "failed", "rejected", "denied", "invalid"})
_SUCCESSES: Final = ("ok", "success")
_WRAPPERS: Final = ("result", "output")
_ERROR_TEXT: Final = re.compile(r"\s*(?:error|exception)\s*:", re.IGNORECASE)
_MOST_TEXT: Final = 65_536
"""Characters up to which a text is read as JSON; what says that a tool failed is short."""


def is_error_result(response: Any, pointers: Sequence[str] = ()) -> bool:
    """Whether the ``response`` of a functionResponse says that the function failed or refused.

    Args:
        response: The response object as sent; anything at all.
        pointers: JSON Pointers into it; a truthy value at one of them makes it an error too.
    """
    if any(_says_error(value) for value in _layers(response)):
        return True
    return any(_at(response, pointer) for pointer in pointers)


def unpacked(value: Any, longest: int = _MOST_TEXT) -> Any:
    """What a text spells where it is a JSON object or list, else the value itself.

    Args:
        value: anything.
        longest: characters up to which a text is read.
    """
    if isinstance(value, str) and len(value) <= longest and value.lstrip()[:1] in ("{", "["):
        parsed = parse(value.encode(errors="surrogatepass"))
        return value if parsed is NOT_JSON else parsed
    return value


def _layers(response: Any) -> Iterator[Any]:
    """What can say that a call failed: the response itself, and what stands under its wrappers."""
    yield response
    if isinstance(response, dict):
        for key in _WRAPPERS:
            yield unpacked(response.get(key))


def _says_error(value: Any) -> bool:
    if isinstance(value, str):
        return _ERROR_TEXT.match(value) is not None
    if not isinstance(value, dict):
        return False
    states = (value.get(key) for key in _STATES)
    return (
        any(value.get(key) for key in _TRUTHY)
        or any(isinstance(state, str) and state.strip().lower() in _FAILED for state in states)
        or any(value.get(key) is False for key in _SUCCESSES)
    )


def _at(value: Any, pointer: str) -> Any:
    """The value at a JSON Pointer, None where there is none."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
