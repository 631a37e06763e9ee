from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.multipart import split_multipart

RELATED = "multipart/related; boundary=b1"


def test_parts_and_their_headers():
    body = (
        b"before\r\n--b1\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{}\r\n"
        b"--b1 \r\ncontent-type:text/plain\r\nX: a:b\r\n\r\na\r\n\r\n--b2\r\n\r\n--b1--\r\nafter"
    )
    first, second = split_multipart(body, RELATED) or []

    assert first.headers == {"content-type": "application/json; charset=UTF-8"}
    assert (first.data, first.is_json, second.is_json) == (b"{}", True, False)
    assert second.headers == {"content-type": "text/plain", "x": "a:b"}
    assert second.data == b"a\r\n\r\n--b2\r\n"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"--b1\r\n\r\na\r\n--b1", RELATED),  # not whole
        (b"", RELATED),
        (b"--b1\r\n\r\na\r\n--b1--", "multipart/related"),
        (b"--b1\r\n\r\na\r\n--b1--", "text/plain; boundary=b1"),
        (b"--b1\r\n\r\na\r\n--b1--", None),
        (b"--b2\r\n\r\na\r\n--b2--", RELATED),
    ],
)
def test_what_is_no_multipart_body_has_no_parts(body: bytes, content_type: str | None):
    assert split_multipart(body, content_type) is None


def test_bare_line_feeds_are_read():
    parts = split_multipart(b"--b1\nA: 1\n\nx\r\n--b1--\n", RELATED)
    assert parts is not None
    assert [(part.headers, part.data) for part in parts] == [({"a": "1"}, b"x\r")]


@given(st.lists(st.binary(max_size=50), min_size=1), st.sampled_from(["=_x-Y'1", "b 1"]))
def test_bytes_of_parts_come_back_whatever_they_are(contents: list[bytes], boundary: str):
    parts = b"".join(b"--%s\r\n\r\n%s\r\n" % (boundary.encode(), data) for data in contents)
    found = split_multipart(parts + b"--%s--" % boundary.encode(), f'multipart/mixed; Boundary="{boundary}"')

    assert found is not None
    assert [part.data for part in found] == contents
