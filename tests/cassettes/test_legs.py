from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.legs import Legs
from gemtape.cassettes.lookup import Lookup, Repeat
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.store import Cassette
from tests.factories import cassette_of, unary


def leg(upload: str, data: bytes, offset: int = 0, command: str = "upload, finalize") -> Exchange:
    headers = (("X-Goog-Upload-Command", command), ("X-Goog-Upload-Offset", str(offset)))
    query = f"upload_id={upload}" if upload else ""
    return Exchange(Request("POST", "/upload/v1beta/files", query, headers, data), unary({"of": upload}))


@pytest.fixture
def playing(tmp_path: Path):
    """Start a look-up in a cassette of some exchanges, and ask it by what the client sends."""
    opened: list[Cassette] = []

    def start(*recorded: Exchange, repeat: Repeat = Repeat.LAST):
        cassette = Cassette.read(cassette_of(tmp_path / "run.db", recorded))
        opened.append(cassette)
        legs = Legs(Lookup(cassette, repeat))

        def ask(item: Exchange, session: str = "", accepts=None) -> int:
            request = cassette.request_entry(item.request)
            taken = legs.take(request, cassette.key(request), session, accepts, None)
            return taken.number if taken else 0

        return ask, legs

    yield start
    for cassette in opened:
        cassette.close()


def test_equal_bytes_get_the_answer_of_their_own_upload(playing):
    ask, _ = playing(leg("a", b"x"), leg("b", b"x"))

    assert [ask(leg("b", b"x")), ask(leg("a", b"x")), ask(leg("a", b"x"))] == [2, 1, 1]


def test_bytes_count_more_than_the_upload(playing):
    """Two uploads that began alike may have begun in another order."""
    ask, _ = playing(leg("a", b"x"), leg("b", b"y"))

    assert [ask(leg("a", b"y")), ask(leg("b", b"x"))] == [2, 1]


def test_bytes_of_no_upload_are_none(playing):
    ask, _ = playing(leg("a", b"x"))

    assert ask(leg("a", b"y")) == 0


def test_an_upload_that_was_crossed_ends_where_it_went(playing):
    """Where the last pieces are equal, the ones before them tell."""
    ask, _ = playing(
        *(leg("a", b"x", command="upload"), leg("a", b"end", 1)),
        *(leg("b", b"y", command="upload"), leg("b", b"end", 1)),
    )

    assert [ask(leg("a", b"y", command="upload")), ask(leg("b", b"x", command="upload"))] == [3, 1]
    assert [ask(leg("a", b"end", 1)), ask(leg("b", b"end", 1))] == [4, 2]


def test_sessions_are_crossed_apart_and_rewound(playing):
    ask, legs = playing(leg("a", b"x"), leg("a", b"end", 1), leg("b", b"y"), leg("b", b"end", 1))

    assert [ask(leg("a", b"y"), "one"), ask(leg("a", b"end", 1), "one")] == [3, 4]
    assert ask(leg("a", b"end", 1), "two") == 2
    legs.reset("one")
    assert ask(leg("a", b"end", 1), "one") == 2


def test_legs_of_an_old_cassette_are_found_by_their_bytes(playing):
    """It holds no ids."""
    ask, _ = playing(leg("", b"x"), leg("", b"y"), leg("", b"y"))

    assert [ask(leg("a", b"y")), ask(leg("b", b"x")), ask(leg("", b"y"))] == [2, 1, 3]


def test_what_the_caller_does_not_accept_is_not_taken(playing):
    ask, _ = playing(leg("a", b"x"), leg("b", b"x"))

    assert ask(leg("a", b"x"), accepts=lambda number: number != 1) == 2
    assert ask(leg("a", b"x"), "other", accepts=lambda _: False) == 0


def test_one_upload_too_many_is_a_miss_where_nothing_repeats(playing):
    ask, _ = playing(leg("a", b"x"), repeat=Repeat.ONCE)

    assert [ask(leg("a", b"x")), ask(leg("a", b"x"))] == [1, 0]
