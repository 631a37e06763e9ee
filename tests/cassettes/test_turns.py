"""Histories share what they have in common."""

from __future__ import annotations

from typing import Any

import pytest

from gemtape.cassettes.canonical import json_digest, stored_form
from gemtape.cassettes.schema import CONTENT, OPENAI_MESSAGE, TOOL
from gemtape.cassettes.turns import Piece, TurnTree
from tests.factories import model_text, user

A, B, C = user("a"), model_text("b"), user("c")


def test_piece_has_the_address_of_its_stored_form():
    piece = Piece({"b": 1, "a": 2})

    assert piece.form == b'{"a":2,"b":1}'
    assert piece.digest == json_digest(piece.form) == Piece({"a": 2, "b": 1}, piece.form).digest


def test_longer_history_goes_on_from_the_shorter_one():
    tree = TurnTree()
    short, long, other = (tree.intern(values, CONTENT) for values in ([A, B], [A, B, C], [B, A]))

    assert long.parent is short
    assert tree.intern([A, B], CONTENT) is short
    assert other.parent is not short.parent
    assert (short.depth, long.depth) == (2, 3)


def test_spellings_are_kept_apart_since_the_stored_form_is_as_sent():
    tree = TurnTree()

    assert tree.intern([{"parts": []}], CONTENT) is not tree.intern([{"role": "user", "parts": []}], CONTENT)


def test_kinds_of_contents_never_share_a_turn():
    tree = TurnTree()

    assert len({tree.intern([{}], message) for message in (CONTENT, TOOL, OPENAI_MESSAGE)}) == 3


def test_ways_through_a_history():
    head = TurnTree().intern([A, B, C], CONTENT)

    assert [turn.depth for turn in head.back()] == [3, 2, 1]
    assert [turn.depth for turn in head.line()] == [1, 2, 3]
    assert head.values() == [A, B, C]


def test_root_is_the_empty_history():
    tree = TurnTree()

    assert tree.intern([], CONTENT) is tree.root(CONTENT)
    assert tree.root(CONTENT).values() == tree.root(CONTENT).line() == []
    assert tree.root(CONTENT).depth == 0


@pytest.mark.parametrize(
    ("content", "role", "parts"),
    [
        ({"role": "MODEL", "parts": {"text": "a"}}, "model", [{"text": "a"}]),
        ({"parts": None}, "user", []),
        ({"role": 1, "parts": "a"}, "", ["a"]),
        ({"role": ["user"]}, "", []),
        ("text", "", []),
        (None, "", []),
        (5, "", []),
    ],
)
def test_role_and_parts_of_any_content(content: Any, role: str, parts: list[Any]):
    turn = TurnTree().intern([content], CONTENT)

    assert (turn.role, turn.parts) == (role, parts)


def test_normal_form_of_a_tool():
    assert TurnTree().intern([{"function_declarations": {"name": "f"}}], TOOL).normal == {
        "functionDeclarations": [{"name": "f"}]
    }


def test_detached_history_is_forgotten_as_far_as_nothing_continues_it():
    tree = TurnTree()
    long = tree.intern([A, B, C], CONTENT)

    long.detach()

    assert tree.intern([A, B, C], CONTENT) is not long
    assert long.values() == [A, B, C]


def test_detached_history_leaves_what_others_continue():
    tree = TurnTree()
    kept, gone = tree.intern([A, B], CONTENT), tree.intern([A, C], CONTENT)

    gone.detach()

    assert tree.intern([A, B], CONTENT) is kept


def test_long_history_is_let_go_of_without_trouble():
    head = TurnTree().intern(list(range(50_000)), CONTENT)

    assert stored_form(head.values()[-1]) == b"49999"
    del head


def test_a_twin_is_let_go_of_with_its_history():
    tree, other = TurnTree(), TurnTree()
    kept, gone = tree.intern([A], CONTENT), tree.intern([A, B], CONTENT)
    kept.twin, gone.twin = other.intern([C], CONTENT), other.intern([C, A], CONTENT)

    gone.detach()

    assert other.intern([C, A], CONTENT) is not gone.twin


def test_a_piece_may_be_addressed_by_a_digest_that_stands_for_it():
    assert Piece(A, digest=b"x").digest == b"x"
    assert Piece(A, digest=b"x").form == Piece(A).form
