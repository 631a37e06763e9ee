"""What the terminal shows of a replay."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.answers import DROPPED, Answer
from gemtape.cassettes.models import Chunk
from gemtape.replay.answering import Reply, Tally, Verdict
from gemtape.replay.deck import Asked
from gemtape.replay.lines import printable, request_line, runs, summary

ASKED = Asked("POST", "/v1beta/models/m:generateContent", "key=secret", "", b"")
PATH = "POST  /v1beta/models/m:generateContent"


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        (Reply(Answer(200), Verdict.HIT, 3), f"hit       #3  {PATH}  200"),
        (Reply(Answer(503), Verdict.REPEAT, 3, "", "refunds/@a"), f"repeat    refunds/@a#3  {PATH}  503"),
        (
            Reply(Answer(200, (), (Chunk(0, b"x"),), cut=True), Verdict.HIT, 1),
            f"hit       #1  {PATH}  200, cut",
        ),
        (Reply(DROPPED, Verdict.HIT, 1), f"hit       #1  {PATH}  connection dropped"),
        (Reply(Answer(412), Verdict.MISS, 0, "why"), f"miss      -  {PATH}  412  why"),
        (
            Reply(Answer(400), Verdict.REJECTED, 0, "rule at /a", "name"),
            f"rejected  name  {PATH}  400  rule at /a",
        ),
        (Reply(Answer(200)), f"gemtape   -  {PATH}  200"),
    ],
)
def test_line_of_a_request(reply: Reply, line: str):
    assert request_line(ASKED, reply) == line


def test_nothing_in_a_line_can_drive_a_terminal():
    asked = ASKED._replace(path="/\x1b[2J\x07/v1")

    line = request_line(asked, Reply(Answer(412), Verdict.MISS, 0, "a\nb\x9bc", "n\x1b"))

    assert line == "miss      n?  POST  /?[2J?/v1  412  a?b?c"


@pytest.mark.parametrize("key", ["AIzaSyD" + "x" * 32, "%41IzaSyD" + "x" * 32])
def test_a_key_in_a_path_is_not_shown(key: str):
    asked = ASKED._replace(path=f"/v1beta/models/{key}")

    line = request_line(asked, Reply(Answer(412), Verdict.MISS))

    assert line == "miss      -  POST  /v1beta/models/REDACTED  412"


def test_a_key_that_stands_where_a_cassette_is_named_is_not_shown():
    key = "AIzaSyD" + "x" * 32
    asked = ASKED._replace(path=f"/{key}/@ya29.token/v1beta/models")
    reply = Reply(Answer(412), Verdict.MISS, 0, f"no {key}.db", f"{key}/@ya29.token")

    line = request_line(asked, reply)

    assert (
        line == "miss      REDACTED/@REDACTED  POST  /REDACTED/@REDACTED/v1beta/models  412  no REDACTED.db"
    )


def test_long_text_is_cut():
    assert printable("x" * 10, 10) == "x" * 10
    assert printable("x" * 11, 10) == "x" * 9 + "…"


def tally(
    exchanges: int,
    unused: tuple[int, ...] = (),
    hit: int = 0,
    repeat: int = 0,
    miss: int = 0,
    rejected: int = 0,
    fault: int = 0,
) -> Tally:
    return Tally(exchanges, dict(zip(Verdict, (hit, repeat, miss, rejected, fault), strict=True)), unused)


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        (
            tally(1, hit=1, fault=2),
            "run.db: 1 request answered, 2 got a fault on demand; its exchange was used",
        ),
        (tally(2, hit=2), "run.db: 2 requests answered; all 2 exchanges used"),
        (tally(1, hit=1), "run.db: 1 request answered; its exchange was used"),
        (
            tally(9, (1, 4, 5, 6, 9), hit=4, repeat=2, miss=1, rejected=3),
            (
                "run.db: 6 requests answered, 2 of them by repeating an exchange, 1 miss, 3 refused as the API would; "
                "5 of 9 exchanges unused: 1, 4-6, 9"
            ),
        ),
        (tally(1, (1,), miss=2), "run.db: 0 requests answered, 2 misses; 1 of 1 exchange unused: 1"),
        (tally(0), "run.db: 0 requests answered; it holds no exchange"),
    ],
)
def test_summary_of_a_cassette(counts: Tally, line: str):
    assert list(summary([(Path("run.db"), counts)], 0)) == [line]


def test_summary_tells_of_requests_that_found_no_cassette():
    assert list(summary([], 2)) == ["2 requests found no cassette"]


def test_many_runs_are_not_all_listed():
    assert runs(tuple(range(1, 100, 2))) == "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, …"
    assert runs((1, 2, 3)) == "1-3"
