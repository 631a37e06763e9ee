"""Keys of a message are recognised in both spellings, and nothing else is."""

from __future__ import annotations

import pytest

from gemtape.cassettes.fields import BYTES, OPAQUE, PLAIN, Field, Kind, Message, many, one, opaque, plain

MESSAGE = Message("Message", {**plain("mimeType", "topP"), **opaque("args"), "extra_content": PLAIN})


@pytest.mark.parametrize(
    ("key", "canonical"),
    [
        ("mimeType", "mimeType"),
        ("mime_type", "mimeType"),
        ("top_p", "topP"),
        ("extra_content", "extra_content"),
        ("extraContent", "extraContent"),
        ("MimeType", "MimeType"),
        ("mime__type", "mime__type"),
        ("mime_Type", "mime_Type"),
        ("_mime_type", "_mime_type"),
        ("unknown_key", "unknown_key"),
        ("", ""),
        ("_", "_"),
    ],
)
def test_canonical_spelling(key: str, canonical: str):
    assert MESSAGE.canonical(key) == canonical


def test_makers_of_fields():
    assert one(MESSAGE) == Field(Kind.MESSAGE, MESSAGE)
    assert one(MESSAGE, present=True).present
    assert many(MESSAGE).repeated
    assert plain("a", "b") == {"a": PLAIN, "b": PLAIN}
    assert opaque("a") == {"a": OPAQUE}


def test_messages_are_told_apart_by_identity():
    """So that two messages with one name never share what is remembered of them."""
    assert Message("A", {"a": BYTES}) != Message("A", {"a": BYTES})
