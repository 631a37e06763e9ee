"""From a live exchange to an entry."""

from __future__ import annotations

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.models import Chunk, Exchange, Failure, Request, Response
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.turns import TurnTree
from tests.factories import exchange, model_text, user

KEY = "AIza" + "FAKE_key-0" * 3 + "12345"


def prepared(item: Exchange) -> Entry:
    return entry_of(item, Redactor(), TurnTree())


def test_secrets_are_out():
    request = Request(
        "POST",
        "/v1beta/models/m:generateContent",
        f"alt=sse&key={KEY}",
        (("x-goog-api-key", KEY), ("content-type", "application/json")),
        b'{"contents": [{"parts": [{"text": "%s"}]}]}' % KEY.encode(),
    )
    entry = prepared(Exchange(request, Response(200, (("set-cookie", KEY),), (Chunk(1, KEY.encode()),))))

    assert entry.query == "alt=sse"
    assert entry.headers == (("content-type", "application/json"),)
    assert entry.response is not None
    assert entry.response.headers == ()
    assert entry.redacted_spans
    assert KEY.encode() not in entry.body() + entry.response.body


def test_body_is_taken_apart():
    entry = prepared(exchange([user("a")], model_text("b"), labels={"x": "y"}))

    assert entry.layout.history.values() == [user("a")]
    assert entry.raw_body is None


def test_body_that_has_no_stored_form_is_kept_as_bytes():
    texts = [b"a=1", b"", b'{"contents": [{"n": 123456789012345678901}]}', b'{"a": "\\ud800"}', b"[" * 500]

    for body in texts:
        entry = prepared(Exchange(Request("POST", "/v1/models/m:generateContent", body=body)))
        assert entry.raw_body == entry.body() == body


def test_bytes_that_are_no_utf_8_can_be_stored():
    latin = b"caf\xe9".decode(errors="surrogateescape")
    request = Request("GET", f"/v1/{latin}", f"filter={latin}", (("user-agent", latin),))
    entry = prepared(Exchange(request, Response(200, (("content-disposition", latin),))))

    assert (entry.path, entry.query) == ("/v1/caf%E9", "filter=caf%E9")
    assert entry.headers == (("user-agent", "café"),)
    assert entry.response is not None
    assert entry.response.headers == (("content-disposition", "café"),)


def test_everything_else_stays_as_it_was():
    item = Exchange(
        Request("PATCH", "/v1/x", "filter=a", upstream="https://a.example"),
        Response(206, (), (Chunk(1, b"a"), Chunk(5, b"b")), cut=True),
        Failure.RESET,
        started_at=3.5,
        duration_ms=7,
    )
    assert prepared(item).exchange() == item


def test_an_uploaded_file_stays_as_it_was_to_the_byte_also_where_it_is_json():
    data = b'{"b": 1,\n "a": {"contents": [{"parts": [{"text": "x"}]}]}}\n'
    entry = prepared(Exchange(Request("POST", "/upload/v1beta/files", "upload_id=u", body=data)))

    assert entry.body() == data
    assert (entry.layout.envelope, entry.layout.history.depth) == (None, 0)
