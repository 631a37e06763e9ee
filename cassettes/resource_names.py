"""Requests that differ from recorded ones only in names that the API made up elsewhere: of files, caches, interactions.

A name that an answer of this cassette issued counts as it is: its client has it from here. So does one that was recorded
in a request, since the client uses the same in every run. Any other was made in another run, and says no more than which
of a request's names it is; these are numbered by first appearance. This is a second look, for requests that have no match
as they are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any, Final

from .canonical import json_digest, stored_form
from .entry import Entry
from .issued import names_issued
from .lookup import Accepts, Lookup, Taken
from .matchform import match_form
from .matching import Matching

# A folder that is called like this, of a bucket or of an agent's environment, is none of the API's names.
_NAME: Final = re.compile(
    r"(?:^|/v[0-9][0-9a-z]*/|^projects/[^/]+/locations/[^/]+/)"
    r"((?:files|cachedContents|interactions)/[0-9A-Za-z_.-]+)(?=$|[/:?])"
)
_IN_A_BODY: Final = re.compile(rb"(?:files|cachedContents|interactions)/[0-9A-Za-z_.-]+")
_HOLDERS: Final = frozenset(
    {"fileUri", "fileName", "file_name", "input_file_id", "cachedContent", "resource"}
)
_INTERACTION_HOLDERS: Final = frozenset({"previous_interaction_id", "previousInteractionId"})
_USER_DATA: Final = frozenset(
    {
        "args",
        "response",
        "parameters",
        "parametersJsonSchema",
        "responseJsonSchema",
        "responseSchema",
        "labels",
    }
)
"""Nothing in these is a name, whatever it is called."""


class ResourceNames:
    """The exchanges of a cassette by what their requests are without such names; worked out when first asked."""

    def __init__(self, lookup: Lookup) -> None:
        cassette = lookup.cassette
        self._issued: set[str] = set()
        self._numbers: defaultdict[bytes, list[int]] = defaultdict(list)
        for entry in lookup.entries():
            self._issued |= names_issued(entry)
        self._asked_for: set[str] = set()
        for entry in lookup.entries():
            asked = cassette.request_entry(entry.exchange().request)
            form, found = self._form(asked, cassette.matching)
            if found:
                self._asked_for |= found.keys()
                self._numbers[_digest(form)].append(entry.number)

    def key(self, request: Entry, matching: Matching) -> bytes | None:
        """What a request is without names that are new to this cassette; None where there is nothing to leave out.

        A name that was recorded in a request is the same in every run, so it counts as it is.
        """
        form, found = self._form(request, matching)
        return _digest(form) if found and not found.keys() & self._asked_for else None

    def recorded(self, key: bytes) -> list[int]:
        """The exchanges that are the same without names, in recorded order."""
        return self._numbers.get(key, [])

    def _form(self, request: Entry, matching: Matching) -> tuple[Any, dict[str, str]]:
        """The match form with such names numbered, and the number of each."""
        found: dict[str, str] = {}
        if not may_hold_names(request):
            return None, found
        return self._numbered(match_form(request, matching), found), found

    def _numbered(self, value: Any, found: dict[str, str]) -> Any:
        if isinstance(value, list):
            return [self._numbered(item, found) for item in value]
        if not isinstance(value, dict):
            return value
        return {name: self._member(name, value[name], found) for name in sorted(value)}

    def _member(self, name: str, value: Any, found: dict[str, str]) -> Any:
        if name in _USER_DATA:
            return value
        if not isinstance(value, str):
            return self._numbered(value, found)
        held = _held(name, value)
        if not held or held in self._issued:
            return value
        return found.setdefault(held, f"{held.partition('/')[0]}/{len(found) + 1}")


class Nameless:
    """The second look of a look-up. Not safe for use by several threads at once."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._names: ResourceNames | None = None

    def take(
        self, request: Entry, key: bytes, session: str, accepts: Accepts | None, stays: Accepts | None
    ) -> Taken | None:
        """The exchange that is the same besides such names, for a request of which nothing was recorded as it is.

        The arguments are those of `Lookup.take`, with the request itself in front.

        Raises:
            CassetteError: the cassette is damaged.
        """
        if not may_hold_names(request) or self._lookup.recorded(key):
            return None
        with self._lookup.lock:
            cassette = self._lookup.cassette
            if self._names is None:
                self._names = ResourceNames(self._lookup)
            nameless = self._names.key(request, cassette.matching)
            numbers = self._names.recorded(nameless) if nameless else []
            return (
                self._lookup.take(nameless, session, accepts, stays, numbers)
                if nameless and numbers
                else None
            )


def may_hold_names(request: Entry) -> bool:
    """Whether a request may hold a name at all: that is known without looking at each of its values."""
    body = request.body()
    return bool(
        _NAME.search(request.route.resource)
        or _IN_A_BODY.search(body)
        or any(holder.encode() in body for holder in _INTERACTION_HOLDERS)
    )


def _digest(form: Any) -> bytes:
    return json_digest(stored_form(["without names", form]))


def _held(name: str, value: str) -> str:
    """The name that a member of an object holds; empty where it holds none."""
    if name in _INTERACTION_HOLDERS:
        return f"interactions/{value.removeprefix('interactions/')}"
    match = _NAME.search(value) if name in _HOLDERS else None
    return match.group(1) if match else ""
