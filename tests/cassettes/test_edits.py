"""Edits applied to a body, and its pieces cut again."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.bodies import find_secrets
from gemtape.cassettes.canonical import NOT_JSON
from gemtape.cassettes.edits import Edit, apply_edits, cut_again, without_overlaps
from gemtape.cassettes.models import Chunk
from gemtape.cassettes.shapes import Shapes

KEY = "AIzaSy" + "k" * 33
SHAPES = Shapes()


@given(st.binary(max_size=40), st.lists(st.integers(0, 40)), st.lists(st.integers(0, 40), max_size=6))
def test_pieces_of_an_edited_body_join_to_it_and_keep_their_times(body, cuts, places):
    bounds = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    chunks = [Chunk(index, body[start:end]) for index, (start, end) in enumerate(pairwise(bounds))]
    ends = sorted({min(place, len(body)) for place in places})
    edits = [
        Edit(start, end, b"REDACTED"[: end % 9]) for start, end in zip(ends[::2], ends[1::2], strict=False)
    ]
    edited, spans = apply_edits(body, edits)
    pieces = cut_again(chunks, edited, edits)
    assert b"".join(piece.data for piece in pieces) == edited
    assert [piece.offset_ms for piece in pieces] == [chunk.offset_ms for chunk in chunks]
    assert [edited[start:end] for start, end in spans] == [edit.text for edit in edits]


def test_boundary_inside_a_secret_moves_behind_its_marker():
    body = b"ab %b cd" % KEY.encode()
    edits = find_secrets(body, None, NOT_JSON, SHAPES)
    for cut in range(4, 3 + len(KEY)):
        pieces = cut_again([Chunk(1, body[:cut]), Chunk(2, body[cut:])], apply_edits(body, edits)[0], edits)
        assert pieces == (Chunk(1, b"ab REDACTED"), Chunk(2, b" cd"))


def test_edits_that_overlap_become_one_that_says_the_longer_text():
    edits = [Edit(5, 9, b"long"), Edit(0, 2, b"a"), Edit(2, 6, b"b"), Edit(20, 21, b"c")]

    assert without_overlaps(edits) == [Edit(0, 2, b"a"), Edit(2, 9, b"long"), Edit(20, 21, b"c")]
