from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.bodies import find_secrets
from gemtape.cassettes.canonical import NOT_JSON, parse
from gemtape.cassettes.edits import apply_edits
from gemtape.cassettes.shapes import Shapes

KEY = "AIzaSy" + "k" * 33
TOKEN = "1//0" + "t" * 30
SSE = "text/event-stream"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
SHAPES = Shapes()


def redacted(body: str | bytes, content_type: str | None = JSON, shapes: Shapes = SHAPES) -> bytes:
    data = body.encode() if isinstance(body, str) else body
    return apply_edits(data, find_secrets(data, content_type, NOT_JSON, shapes))[0]


def event(*texts: str, **fields) -> dict:
    return {"candidates": [{"content": {"parts": [{"text": text} for text in texts]}, **fields}]}


def sse(*values, end="\r\n\r\n") -> str:
    return "".join(f"data: {json.dumps(value)}{end}" for value in values)


def array(*values) -> str:
    return "[" + "\n,\r\n".join(json.dumps(value, indent=2) for value in values) + "\n]"


def test_everything_but_the_secret_keeps_its_bytes():
    body = '{ "b": "é\\u00e9\\/",\r\n\t"a" : [1.50, 1E3, "x SECRET y"] , "b":2}'
    assert redacted(body.replace("SECRET", KEY)) == body.replace("SECRET", "REDACTED").encode()


@pytest.mark.parametrize("content_type", [None, "text/plain", "application/octet-stream", FORM])
def test_body_that_is_no_json_is_searched_as_it_is(content_type):
    body = b"\xff\x00 key=%b&x \x80%b" % (KEY.encode(), TOKEN.encode())
    assert redacted(body, content_type) == b"\xff\x00 key=REDACTED&x \x80REDACTED"


def test_fields_of_a_token_endpoint():
    form = "client_id=a&client_secret=b&refresh_token=c%2F&grant_type=refresh_token&code=d&assertion="
    wanted = "client_id=a&client_secret=REDACTED&refresh_token=REDACTED&grant_type=refresh_token&code=REDACTED&assertion="
    assert redacted(form, FORM).decode() == wanted
    body = {"access_token": "a", "expires_in": 3599, "id_token": "b", "scope": "c"}
    assert json.loads(redacted(json.dumps(body))) == body | {
        "access_token": "REDACTED",
        "id_token": "REDACTED",
    }


def test_headers_of_mcp_servers():
    mcp = {"streamableHttpTransport": {"url": "https://h", "headers": {"Authorization": "Bearer x", "a": ""}}}
    body = {"tools": [{"mcpServers": [mcp]}, {"type": "mcp_server", "headers": {"X-Key": "y"}}]}
    clean = json.loads(redacted(json.dumps(body)))
    assert clean["tools"][0]["mcpServers"][0]["streamableHttpTransport"]["headers"] == {
        "Authorization": "REDACTED",
        "a": "",
    }
    assert clean["tools"][1]["headers"] == {"X-Key": "REDACTED"}


def test_bytes_fields_and_call_ids_stay_and_namesakes_in_user_data_do_not():
    part = {
        "thoughtSignature": KEY,
        "inline_data": {"mime_type": "image/png", "data": KEY},
        "functionCall": {"id": KEY, "name": "f", "args": {"id": KEY, "data": KEY, KEY: 1}},
    }
    body = {"contents": [{"role": "model", "parts": [part]}]}
    clean = json.loads(redacted(json.dumps(body)))["contents"][0]["parts"][0]
    assert clean["functionCall"] == {
        "id": KEY,
        "name": "f",
        "args": {"id": "REDACTED", "data": "REDACTED", "REDACTED": 1},
    }
    assert (clean["thoughtSignature"], clean["inline_data"]["data"]) == (KEY, KEY)


@pytest.mark.parametrize("content_type", [SSE, JSON])
@pytest.mark.parametrize("cut", range(1, 40))
def test_bytes_fields_stay_in_a_cut_answer(content_type, cut):
    value = {"candidates": [{"content": {"parts": [{"thoughtSignature": KEY, "text": KEY}]}}]}
    text = (sse(value) if content_type == SSE else array(value)).replace(f'"text": "{KEY}"', '"text": "x"')
    body = text[: text.index(KEY) + cut]
    assert redacted(body, content_type).decode() == body


@pytest.mark.parametrize(
    "spelled",
    [
        f'{{"a": "\\u0041{KEY[1:]}"}}',
        f'["\\u0041{KEY[1:]}"]',
        f'{{"a": "x\\n{KEY}"}}',
        json.dumps({"a": TOKEN}).replace("/", "\\/"),
        '{"a": "' + "".join(f"\\u{ord(character):04x}" for character in KEY) + '"}',
        json.dumps({"a": json.dumps({"b": "\n" + KEY})}),
        f'{{"access\\u005ftoken": "{KEY}"}}',
        json.dumps({"a": "-----BEGIN PRIVATE KEY-----\nMIIEvQ==\n-----END PRIVATE KEY-----"}),
    ],
)
@pytest.mark.parametrize("form", [JSON, SSE])
def test_escaped_spellings_do_not_get_through(spelled, form):
    body = spelled if form == JSON else f"data: {spelled}\n\n"
    clean = redacted(body, form)
    assert clean.count(b"REDACTED") == 1
    for secret in (KEY, TOKEN, "MIIE"):
        assert secret[1:] not in str(json.loads(clean.removeprefix(b"data: ")))


def split_ways(secret: str, pieces: int):
    """Every way to cut a secret into two or three."""
    for first in range(len(secret) + 1):
        if pieces == 2:
            yield secret[:first], secret[first:]
        else:
            for second in range(first, len(secret) + 1, 5):
                yield secret[:first], secret[first:second], secret[second:]


STREAMS = {
    "sse": lambda parts: (sse(*(event(part) for part in parts)), SSE),
    "line feeds": lambda parts: (sse(*(event(part) for part in parts), end="\n\n"), SSE),
    "array": lambda parts: (array(*(event(part) for part in parts)), JSON),
    "parts": lambda parts: (json.dumps(event(*parts)), JSON),
    "code assist": lambda parts: (sse(*({"response": event(part)} for part in parts)), SSE),
    "contents": lambda parts: (
        json.dumps({"contents": [{"role": "model", "parts": [{"text": part}]} for part in parts]}),
        JSON,
    ),
    "chat": lambda parts: (sse(*({"choices": [{"delta": {"content": part}}]} for part in parts)), SSE),
    "interaction": lambda parts: (sse(*({"index": 0, "delta": {"text": part}} for part in parts)), SSE),
    "cut event": lambda parts: (sse(event(*parts[:-1])) + sse(event(parts[-1]))[:-8], SSE),
    "cut array": lambda parts: (array(*(event(part) for part in parts))[:-30], JSON),
}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("pieces", [2, 3])
def test_secret_split_over_texts_does_not_survive(stream, pieces):
    """Cut at every position, each piece in a text of its own: the marker stands once, and the neighbours stay."""
    for first, *rest in split_ways(KEY, pieces):
        body, content_type = stream(["before " + first, *rest[:-1], rest[-1] + " after"])
        clean = redacted(body, content_type).decode()
        said = clean.replace(" ", "").replace("\n", "")
        assert clean.count("REDACTED") == 1, (first, rest)
        assert '"beforeREDACTED"' in said or ('"before"' in said and '"REDACTED' in said), (first, rest)
        assert '" after"' in clean or 'REDACTED after"' in clean, (first, rest)
        assert not any(len(piece) > 5 and piece in clean for piece in (first, *rest))


def test_private_key_streamed_word_by_word_does_not_survive():
    lines = [
        "-----BEGIN ",
        "PRIVATE",
        " KEY-----\n",
        "MIIEvQIBADAN",
        "Bgkqhki\n",
        "G9w0",
        "\n-----END PRI",
        "VATE KEY-----",
    ]
    clean = redacted(sse(*map(event, ["here: ", *lines, " done"])), SSE).decode()
    assert clean == sse(*map(event, ["here: ", "REDACTED", *[""] * 7, " done"]))


def test_secrets_between_events_and_outside_strings_do_not_survive():
    body = f': {KEY}\r\nevent: {KEY}\r\ndata: {{"a": 1}}\r\n\r\ndata: {KEY}\r\n\r\n{{"b": {KEY}}}'
    assert KEY.encode() not in redacted(body, SSE)
    assert redacted(f'{{"a": {KEY}, "b" {TOKEN}', JSON) == b'{"a": REDACTED, "b" REDACTED'


def test_extra_patterns_reach_decoded_texts_and_leave_protected_ones():
    shapes = Shapes(["^Müller$", r"ACC\d{3}"])
    body = json.dumps(
        {"contents": [{"parts": [{"text": "Müller", "thoughtSignature": "ACC123"}]}], "x": "ACC123", "n": 1}
    )
    assert json.loads(redacted(body, shapes=shapes)) == {
        "contents": [{"parts": [{"text": "REDACTED", "thoughtSignature": "ACC123"}]}],
        "x": "REDACTED",
        "n": 1,
    }
    assert redacted("Müller ACC123", None, shapes) == "Müller REDACTED".encode()
    assert redacted(sse(event("AC"), event("C12"), event("3")), SSE, shapes).decode() == sse(
        event("REDACTED"), event(""), event("")
    )


def test_numbers_are_never_replaced():
    """A marker in the place of a number would be no JSON."""
    assert (
        redacted('{"account": 123456, "text": "123456"}', shapes=Shapes([r"\d{6}"]))
        == b'{"account": 123456, "text": "REDACTED"}'
    )


def test_value_that_the_caller_parsed_is_used():
    body = json.dumps({"a": KEY}).encode()
    assert find_secrets(body, JSON, parse(body), SHAPES) == find_secrets(body, JSON, NOT_JSON, SHAPES) != []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe{",
        b'{"a": "\xff %b"' % KEY.encode(),
        b"[" * 50_000 + KEY.encode(),
        b'{"a":' * 20_000 + b'"%b"' % KEY.encode(),
        b'data: {"a":"\\ud800 %b"}\n\n' % KEY.encode(),
        b'{"a": "\\' + b"\\" * 9_999,
        b'"' * 9_999 + KEY.encode(),
        b"{}" * 5_000 + KEY.encode(),
        b"-----BEGIN PRIVATE KEY-----" * 20_000,
    ],
)
@pytest.mark.parametrize("content_type", [SSE, JSON, None, FORM, "\x00"])
def test_hostile_bodies_are_searched_too(body, content_type):
    clean = redacted(body, content_type)
    assert KEY.encode() not in clean
    assert redacted(clean, content_type) == clean


@given(st.binary(), st.sampled_from([SSE, JSON, None]))
def test_bodies_without_secrets_stay(body, content_type):
    assert redacted(body, content_type) == body


PIECES = st.sampled_from([KEY, TOKEN, "x", " ", '"', "\\", "\n", "é", "AIza", "/", "1//", "data: ", "{", "}"])


@given(
    st.lists(PIECES, max_size=8),
    st.sampled_from([str, json.dumps, lambda text: sse(event(text)), lambda text: sse(*map(event, text))]),
)
def test_redacting_twice_changes_nothing_more(pieces, form):
    body = form("".join(pieces))
    once = redacted(body, SSE if form is not json.dumps else JSON)
    assert redacted(once, SSE if form is not json.dumps else JSON) == once
