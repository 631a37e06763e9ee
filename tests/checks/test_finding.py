from __future__ import annotations

import pytest

from gemtape.checks.finding import Severity, content_place, pointer


@pytest.mark.parametrize(
    ("place", "prefix", "expected"),
    [
        ((), (), ""),
        (("contents", 3, "parts", 0), (), "/contents/3/parts/0"),
        (("contents", 3), ("request",), "/request/contents/3"),
        (("a/b", "c~d", ""), (), "/a~1b/c~0d/"),
    ],
)
def test_a_pointer_is_that_of_rfc_6901(place: tuple, prefix: tuple, expected: str):
    assert pointer(place, prefix) == expected


def test_the_place_of_a_content_and_of_what_is_in_it():
    assert content_place(2) == ("contents", 2)
    assert content_place(2, 0) == ("contents", 2, "parts", 0)
    assert content_place(2, 0, "functionCall", "args") == ("contents", 2, "parts", 0, "functionCall", "args")


def test_severities_rise():
    assert list(Severity) == ["info", "warning", "error"]
