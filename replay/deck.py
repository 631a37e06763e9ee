"""All that a replay answers from: one cassette, or a folder of them chosen by path prefix, and gemtape's own paths.

Under any prefix, ``POST …/_gemtape/reset`` rewinds the session and ``GET …/_gemtape/status`` tells what it was served;
without a prefix, that and ``GET /`` tell of all cassettes. None of these counts as a request.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any, Final, NamedTuple

from ..cassettes.advice import WEBSOCKET
from ..cassettes.answers import error_answer, json_answer
from ..cassettes.astray import wants_websocket, without_api
from ..cassettes.bounded import Bounded
from ..cassettes.errors import CassetteError, CassetteMissing, CassetteNameError
from ..cassettes.models import Request
from ..cassettes.naming import cassette_name, cassette_path, names_folder, split_session
from ..cassettes.routes import split_prefix
from ..cassettes.uploads import belongs_to_upload
from ..checks.serving import Known
from .answering import Options, Reply, Tally, Verdict
from .player import Player

OPEN_AT_MOST: Final = 32
"""Cassettes held open at once; a folder of a thousand tests would run out of file descriptors."""
_REQUEST_BYTES: Final = 8 * 1024 * 1024
"""What the bodies of the requests that are remembered may hold together."""
_ITEM_BYTES: Final = 1024
"""What a remembered request weighs besides its body, roughly."""
_OWN: Final = "/_gemtape/"
_ALL: Final = frozenset({"/", "/_gemtape/status"})
"""Paths that tell of everything; the root is what tools ask that wait for a server to be up."""
_READS: Final = frozenset({"GET", "HEAD"})


class Asked(NamedTuple):
    """What of a request decides about its answer; path and query as sent, percent-encoded."""

    method: str
    path: str
    query: str
    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a request belongs: cassette, session, both as people read them, and what it says."""

    name: str
    session: str
    label: str
    known: Known


class Deck:
    """Answers every request, whatever it is. Safe for use by several threads at once."""

    def __init__(self, target: str | Path, options: Options | None = None, again: str = "") -> None:
        """Choose what to play.

        Args:
            target: a cassette; or a folder of them: one that exists, or a name that ends in a slash.
            options: how they are played.
            again: the command that records a single cassette again, for the advice of a miss.

        Raises:
            CassetteError: it is missing, or the cassette cannot be read.
        """
        self.target: Final = Path(target)
        self.folder: Final = names_folder(str(target))
        self._options = options or Options()
        self._players: dict[str, Player] = {}
        self._awake: dict[str, Player] = {}
        self.lost = 0
        """Requests that found no cassette."""
        self._lock = threading.Lock()
        self._places: Bounded[Asked, _Place] = Bounded(_REQUEST_BYTES, lambda place: place.known.let_go())
        if self.folder and not self.target.is_dir():
            raise CassetteMissing(f"there is no folder {self.target}")
        if not self.folder:
            self._players[""] = Player(self.target, self._options, again or _again(self.target, ""))

    def answer(self, asked: Asked, request: Callable[[], Request]) -> Reply:
        """The answer to a request. Never raises for what a request or a file can hold.

        Args:
            asked: what of the request decides about its answer; its path still has the prefix.
            request: makes the request; called only where an equal one is not known yet.
        """
        with self._lock:
            try:
                place = self._places.get(asked)
                if place is None:
                    found = self._find(asked, request)
                    if isinstance(found, Reply):
                        return found
                    place = found
                reply = self._player(place.name).answer(place.known, place.session)
            except CassetteMissing as error:
                prefix = split_prefix(asked.path)[0]
                return self._lose(412, f"{error}. To record it: {_again(self.target, prefix, '')}", prefix)
            except (CassetteError, CassetteNameError) as error:
                return self._lose(412, str(error), split_prefix(asked.path)[0])
            return reply._replace(label=place.label) if place.label else reply

    def tallies(self) -> list[tuple[Path, Tally]]:
        """Every cassette that was played, with what was asked of it."""
        with self._lock:
            return self._tallies()

    def verdicts(self) -> Counter[Verdict]:
        """All requests by verdict; one that found no cassette is a miss."""
        total = Counter({Verdict.MISS: self.lost})
        for _, tally in self.tallies():
            total.update(tally.verdicts)
        return total

    def close(self) -> None:
        """Close all cassettes."""
        with self._lock:
            for player in self._players.values():
                player.park()

    def _tallies(self) -> list[tuple[Path, Tally]]:
        return [(player.path, player.tally()) for player in self._players.values()]

    def _find(self, asked: Asked, make: Callable[[], Request]) -> _Place | Reply:
        """Where a request belongs; or the answer to one that belongs to no cassette.

        Raises:
            CassetteError: the cassette cannot be read.
            CassetteNameError: the prefix cannot name one.
        """
        request = make()
        prefix, api_path = split_prefix(asked.path)
        client = request.header("x-goog-api-client")
        if wants_websocket(asked.path, request.header("upgrade")):
            return self._lose(501, WEBSOCKET, "")
        if asked.path in _ALL and asked.method in _READS and not client:
            return Reply(json_answer({"cassettes": [_status(*item) for item in self._tallies()]}))
        if api_path == "/":
            return self._lose(412, without_api(asked.method, prefix, request.json, client), prefix)
        name, session = self._names(prefix)
        if api_path.startswith(_OWN):
            return self._own(asked.method, api_path.removeprefix(_OWN), name, session)
        known = self._player(name).read(replace(request, path=api_path))
        place = _Place(name, session, _label(name, session), known)
        # What a GET wants may stand in its headers, and so does which step of an upload it is.
        if asked.method == "POST" and not belongs_to_upload(api_path, asked.query):
            self._places.put(asked, place, len(asked.body) + _ITEM_BYTES)
        return place

    def _names(self, prefix: str) -> tuple[str, str]:
        """The cassette's name (empty for the only one) and the session's.

        Raises:
            CassetteNameError: the prefix cannot name one.
        """
        rest, session = split_session(prefix)
        return cassette_name(rest) if self.folder else "", session

    def _player(self, name: str) -> Player:
        player = self._players.get(name)
        if player is None:
            path = cassette_path(self.target, name)
            player = self._players[name] = Player(path, self._options, _again(self.target, name))
        if self.folder:
            self._awake.pop(name, None)
            self._awake[name] = player
            if len(self._awake) > OPEN_AT_MOST:
                self._awake.pop(next(iter(self._awake))).park()
                self._places.clear()  # they hold on to the histories of the one that was closed
        return player

    def _own(self, method: str, what: str, name: str, session: str) -> Reply:
        """What gemtape itself is asked about one cassette."""
        label = _label(name, session)
        player = self._player(name)
        if (method, what) == ("POST", "reset"):
            player.reset(session)
        elif what != "status" or method not in _READS:
            words = "gemtape: there is POST …/_gemtape/reset and GET …/_gemtape/status"
            return Reply(error_answer(404, words), label=label)
        status = {**_status(player.path, player.tally(session)), "session": session}
        return Reply(json_answer(status), label=label)

    def _lose(self, status: int, message: str, label: str) -> Reply:
        """An answer to what never reached a cassette."""
        self.lost += 1
        return Reply(error_answer(status, f"gemtape: {message}"), Verdict.MISS, 0, message, label)


def _label(name: str, session: str) -> str:
    return "/".join(filter(None, (name, f"@{session}" if session else "")))


def _again(target: Path, name: str, option: str = "--replace ") -> str:
    """The command that records a cassette; with a folder, the base URL then ends in the cassette's name."""
    if not name:
        return f"gemtape record {option}{quote(str(target))}"
    return f"gemtape record {option}{quote(str(target))}/ (and a base URL that ends in /{name})"


def _status(path: Path, tally: Tally) -> dict[str, Any]:
    return {
        "cassette": str(path),
        "exchanges": tally.exchanges,
        "requests": {verdict.value: count for verdict, count in tally.verdicts.items()},
        "unused": list(tally.unused),
    }
