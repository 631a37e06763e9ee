"""The stored form stands for the JSON value, or there is none; addresses never change."""

from __future__ import annotations

import json
import random
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.canonical import (
    MAX_DEPTH,
    NOT_JSON,
    huge_integers,
    json_digest,
    may_have_lost_digits,
    parse,
    raw_digest,
    stored_form,
)
from tests.strategies import values

BEYOND_64_BITS = st.integers(max_value=-(2**63) - 1) | st.integers(min_value=2**64)


@given(values())
def test_stored_form_parses_back_to_the_value_of_the_body(value: Any):
    body = json.dumps(value).encode()

    assert json.loads(stored_form(parse(body))) == json.loads(body)


@given(values(), st.randoms(use_true_random=False))
def test_key_order_does_not_show_in_the_stored_form(value: Any, order: random.Random):
    assert stored_form(_shuffled(value, order)) == stored_form(value)


def _shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, dict):
        items = list(value.items())
        order.shuffle(items)
        return {key: _shuffled(item, order) for key, item in items}
    return [_shuffled(item, order) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"contents=1", id="form"),
        pytest.param(b'{"a": 1', id="cut"),
        pytest.param(b'{"a": 1} x', id="trailing text"),
        pytest.param(b'{"a": "\xff"}', id="invalid UTF-8"),
        pytest.param(b'{"a": "\\ud800"}', id="lone surrogate"),
        pytest.param(b"\xef\xbb\xbf{}", id="byte order mark"),
        pytest.param('{"a": 1}'.encode("utf-16"), id="UTF-16"),
        pytest.param(b'{"a": NaN}', id="NaN"),
        pytest.param(b'{"a": 1e400}', id="infinite"),
        pytest.param(b"[" * 100_000, id="brackets"),
        pytest.param(b"[" * 2000 + b"]" * 2000, id="deeper than can be read"),
        pytest.param(b"[" * 300 + b"]" * 300, id="deeper than can be written"),
        pytest.param(b"[" * (MAX_DEPTH + 2) + b"]" * (MAX_DEPTH + 2), id="deeper than allowed"),
        pytest.param(b'{"a":' * 130 + b"1" + b"}" * 130, id="objects deeper than allowed"),
    ],
)
def test_body_without_a_stored_form(body: bytes):
    assert parse(body) is NOT_JSON


@pytest.mark.parametrize(
    "body", [b"[" * 100 + b"]" * 100, b'{"a":' * 100 + b"1" + b"}" * 100], ids=["lists", "objects"]
)
def test_what_the_api_takes_is_not_too_deep(body: bytes):
    assert stored_form(parse(body)) == body


def test_of_a_key_that_comes_twice_the_last_counts_as_everywhere():
    body = b'{"a": 1, "a": 2}'

    assert stored_form(parse(body)) == b'{"a":2}'
    assert json.loads(stored_form(parse(body))) == json.loads(body)


def test_huge_text_is_nothing_special():
    body = b'{"a":"%s"}' % (b"x1e+" * 1_000_000)

    assert stored_form(parse(body)) == body
    assert not may_have_lost_digits(body, parse(body))


def test_many_brackets_are_not_deep():
    body = b"[" + b",".join([b'{"a":[]}'] * 1000) + b"]"

    assert stored_form(parse(body)) == body


def test_not_json_is_false_and_says_what_it_is():
    assert not NOT_JSON
    assert repr(NOT_JSON) == "NOT_JSON"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('{"a": 18446744073709551616}', ["/a: 18446744073709551616"]),
        ('{"a": -9223372036854775809}', ["/a: -9223372036854775809"]),
        ('[1e25, {"b": [10000000000000000000000]}]', ["/1/b/0: 10000000000000000000000"]),
        (
            '[99999999999999999999, "x", -99999999999999999999]',
            ["/0: 99999999999999999999", "/2: -99999999999999999999"],
        ),
        (f"[{'9' * 5000}]", ["/0: " + "9" * 5000]),
        ('{"snake_case": {"b": 18446744073709551616}}', ["/snakeCase/b: 18446744073709551616"]),
        ('{"a": 18446744073709551615, "b": -9223372036854775808}', []),
        ('{"a": 1e25, "b": "18446744073709551616"}', []),
        ("no JSON", []),
        ("[" * 5000, []),
    ],
)
def test_integers_beyond_64_bits(body: str, found: list[str]):
    assert huge_integers(body.encode()) == found


@given(BEYOND_64_BITS.filter(lambda number: abs(number) < 10**300))
def test_a_rounded_integer_shows(number: int):
    value = parse(json.dumps({"contents": [{"n": number}]}).encode())

    assert may_have_lost_digits(stored_form(value), value)


@pytest.mark.parametrize(
    "value",
    [
        {"text": "1e+20 and 2e+25"},
        {"data": "a1e+" * 1000},
        {"n": [1e15, -1e15, 1e-25, 2**64 - 1, -(2**63), 0.1, True, None]},
    ],
    ids=["text", "base64", "numbers"],
)
def test_what_never_was_such_an_integer_is_not_suspect(value: Any):
    assert not may_have_lost_digits(stored_form(value), value)


def test_raw_bytes_and_json_never_share_an_address():
    form = b'{"a":1}'

    assert raw_digest(form) != json_digest(form)


def test_addresses_are_what_cassettes_hold():
    """Changing one orphans every stored value: that needs a migration."""
    assert json_digest(stored_form({"b": [1, 2.5], "a": "ä"})).hex() == "56d36f6cee8ef0b43212ab8d23a085a0"
    assert raw_digest(b"a=1").hex() == "4fee523e33dd1cd1e33cb6ec9419bc79"
    assert len(raw_digest(b"")) == 16


def test_orjson_reads_huge_integers_as_floats():
    """What `huge_integers` is there for; the day this fails, it may go."""
    assert isinstance(orjson.loads(b"18446744073709551616"), float)
