"""Bodies that are no JSON, and the steps of uploads: which are equal to matching, and which are not."""

from __future__ import annotations

import json
from itertools import combinations

import pytest

from gemtape.cassettes.comparison import compare
from gemtape.cassettes.entry import Entry
from gemtape.cassettes.matchform import match_form, match_key
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.rawform import match_place
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree

FILES = "/upload/v1beta/files"
PARTS = "--{0}\r\nContent-Type: application/json\r\n\r\n{1}\r\n--{0}\r\nContent-Type: text/plain\r\n\r\n{2}\r\n--{0}--\r\n"


def entry(body: bytes = b"", query: str = "upload_id=u", path: str = FILES, **headers: str) -> Entry:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return entry_of(Exchange(Request("POST", path, query, pairs, body)), Redactor(), TurnTree())


def leg(body: bytes = b"", offset: int = 0, command: str = "upload, finalize", upload: str = "u") -> Entry:
    headers = {"X_Goog_Upload_Command": command, "X_Goog_Upload_Offset": str(offset)}
    return entry(body, f"upload_id={upload}", **headers)


def multipart(boundary: str, about: object, data: str, kind: str = "multipart/related") -> Entry:
    body = PARTS.format(boundary, json.dumps(about), data).encode()
    return entry(body, "uploadType=multipart", content_type=f"{kind}; boundary={boundary}")


def assert_equal(one: Entry, other: Entry) -> None:
    assert match_key(one) == match_key(other)
    assert compare(one, other).differences == ()


def test_legs_of_different_uploads_with_equal_bytes_are_equal():
    assert_equal(leg(b"\x00\xff", upload="a"), leg(b"\x00\xff", upload="b"))


@pytest.mark.parametrize("command", ["upload,finalize", " Upload , Finalize"])
def test_spelling_of_a_command_does_not_count(command: str):
    assert_equal(leg(b"x"), leg(b"x", command=command))


def test_steps_of_an_upload_all_differ():
    steps = [
        leg(b"x" * 9, command="upload"),
        leg(b"x" * 9, 9, command="upload"),
        leg(b"x" * 9, 9),
        leg(b"y" * 9, 9),
        leg(command="query"),
        leg(command="cancel"),
        entry(b"", "", X_Goog_Upload_Command="start"),
        entry(b"x" * 9, Content_Range="bytes 0-8/18"),
        entry(b"x" * 9, Content_Range="bytes 9-17/18"),
    ]

    for one, other in combinations(steps, 2):
        assert match_key(one) != match_key(other)
        assert compare(one, other).differences


def test_only_uploads_have_a_place():
    assert match_place(leg(b"x", 8)) == ["upload, finalize", "8", ""]
    assert match_place(entry(b"x")) == []
    path = "/v1beta/models/gemini-3-pro:generateContent"
    assert match_place(entry(b"{}", "", path, X_Goog_Upload_Command="start")) == []
    assert "upload" not in match_form(entry(b"{}", "", path))


def test_a_file_that_is_json_counts_by_its_value_and_is_never_taken_for_a_request():
    batch = leg(b'{"contents": [{"parts": [{"text": "a"}]}], "n": 1.5}')

    assert batch.layout.history.depth == 0
    assert_equal(batch, leg(b'{"n":1.5,\n"contents":[{"parts":[{"text":"a"}]}]}'))
    assert match_key(batch) != match_key(leg(b'{"contents": [{"parts": [{"text": "b"}]}], "n": 1.5}'))
    # To its schema these would be one thing; to whoever made the file they are not.
    assert match_key(leg(b'{"file": {"size_bytes": 1}}')) != match_key(leg(b'{"file": {"sizeBytes": "1"}}'))


def test_json_files_that_differ_in_a_huge_integer_differ():
    assert match_key(leg(b"[10000000000000000000001]")) != match_key(leg(b"[10000000000000000000002]"))


def test_multipart_bodies_match_whatever_the_boundary():
    one = multipart("a1", {"file": {"display_name": "n", "size_bytes": 3}}, "abc")

    assert_equal(one, multipart("=b2=", {"file": {"sizeBytes": "3", "displayName": "n"}}, "abc"))
    for other in (
        multipart("a1", {"file": {"displayName": "m", "sizeBytes": 3}}, "abc"),
        multipart("a1", {"file": {"displayName": "n", "sizeBytes": 3}}, "abd"),
        multipart("a1", {"file": {"displayName": "n", "sizeBytes": 3}}, "abc", "text/plain"),
    ):
        assert match_key(one) != match_key(other)
        assert compare(one, other).differences


def test_a_part_that_only_says_it_is_json_counts_by_its_bytes():
    def broken(data: str) -> Entry:
        body = PARTS.format("b", data, "abc").encode()
        return entry(body, "uploadType=multipart", content_type="multipart/related; boundary=b")

    assert_equal(broken("{"), broken("{"))
    assert match_key(broken("{")) != match_key(broken("["))


def test_a_large_file_counts_by_its_bytes_also_where_it_is_json():
    small, large = (json.dumps({"rows": ["x" * 100] * rows, "a": 1}).encode() for rows in (10, 12_000))

    assert_equal(leg(small), leg(small + b"\n"))
    assert match_key(leg(large)) == match_key(leg(large))
    assert match_key(leg(large)) != match_key(leg(large + b"\n"))
