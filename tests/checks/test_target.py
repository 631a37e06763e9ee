from __future__ import annotations

import pytest

from gemtape.cassettes.routes import Surface
from gemtape.checks.target import Target, model_version, target_of
from tests.chats import chat_exchange
from tests.checks.helpers import entries
from tests.checks.tape import Tape
from tests.factories import user


def target(model: str, surface: Surface = Surface.GEMINI_API, asked: str = "") -> Target:
    return Target(surface, model, model_version(model), asked)


@pytest.mark.parametrize(
    ("model", "version"),
    [
        ("gemini-3-pro-preview", (3, 0)),
        ("gemini-3.6-flash", (3, 6)),
        ("gemini-2.5-flash-lite-preview-09-2025", (2, 5)),
        ("gemini-2.0-flash-001", (2, 0)),
        ("gemini-10.12-pro", (10, 12)),
        ("gemini-flash-latest", None),
        ("gemini-pro", None),
        ("text-embedding-004", None),
        ("1234567890", None),
        ("", None),
    ],
)
def test_the_version_in_a_name(model: str, version: tuple[int, int] | None):
    assert model_version(model) == version


@pytest.mark.parametrize(
    ("model", "strict", "third", "image"),
    [
        ("gemini-3-pro-preview", True, True, False),
        ("gemini-4-argon", True, True, False),
        ("gemini-flash-latest", True, True, False),
        ("gemini-2.5-flash", False, False, False),
        ("gemini-3-pro-image-preview", False, True, True),
        ("gemini-2.5-flash-image", False, False, True),
        ("learnlm-latest", False, False, False),
        ("", False, False, False),
    ],
)
def test_what_a_model_enforces(model: str, strict: bool, third: bool, image: bool):
    found = target(model)

    assert (found.strict, found.third_generation, found.image) == (strict, third, image)


@pytest.mark.parametrize(
    ("model", "refuses"),
    [
        ("gemini-3.6-flash", True),
        ("gemini-3.7-pro", True),
        ("gemini-4-argon", True),
        ("gemini-3.5-flash-lite", True),
        ("gemini-3.5-flash", False),
        ("gemini-3-pro", False),
        ("gemini-2.5-pro", False),
        ("gemini-pro-latest", False),
    ],
)
def test_who_refuses_a_history_that_ends_with_the_model(model: str, refuses: bool):
    assert target(model).refuses_trailing_model_turn is refuses


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        (Surface.VERTEX, True),
        (Surface.CODE_ASSIST, True),
        (Surface.GEMINI_API, False),
        (Surface.OPENAI, False),
    ],
)
def test_where_responses_count_only_right_behind_the_calls(surface: Surface, expected: bool):
    assert target("gemini-3-pro", surface).counts_next_content_only is expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [("", False), ("gemini-2.5-flash", True), ("gemini-3-pro", False), ("gemini-3-pro-image", True)],
)
def test_whose_answers_need_not_be_signed(asked: str, expected: bool):
    assert target("gemini-3-pro", asked=asked).issues_unsigned is expected


def test_the_target_of_a_request_and_of_the_same_request_to_another_model():
    tape = Tape("gemini-2.5-flash", "vertex")
    tape.ask([user("x")])
    (entry,) = entries(tape.exchanges)

    assert target_of(entry) == target("gemini-2.5-flash", Surface.VERTEX)
    assert target_of(entry, "models/gemini-3-pro") == target(
        "gemini-3-pro", Surface.VERTEX, "gemini-2.5-flash"
    )


@pytest.mark.parametrize(
    ("path", "surface"),
    [
        ("/v1beta/openai/chat/completions", Surface.GEMINI_API),
        ("/v1/projects/p/locations/global/endpoints/openapi/chat/completions", Surface.VERTEX),
    ],
)
def test_a_chat_is_held_to_what_the_api_behind_it_enforces(path: str, surface: Surface):
    [entry] = entries([chat_exchange([], path=path, model="google/gemini-3.6-flash")])

    assert target_of(entry) == Target(surface, "gemini-3.6-flash", (3, 6), chat=True)
    assert target_of(entry, "gemini-2.5-pro") == Target(
        surface, "gemini-2.5-pro", (2, 5), "gemini-3.6-flash", chat=True
    )
