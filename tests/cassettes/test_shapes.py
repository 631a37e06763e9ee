from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.errors import SetupError
from gemtape.cassettes.shapes import MARKER, Shapes, hides_characters, merged

BASE64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BASE64}\n{BASE64}\nabc=\n-----END RSA PRIVATE KEY-----"
SECRETS = {
    "api key": "AIza" + "Sy_B-" + "x" * 30,
    "newer key": "AQ.Ab8RN6Kx_-" + "y" * 20,
    "access token": "ya29.a0AfH6SMBx-_9",
    "service account token": "ya29.c.b0AT7lpj_1-2",
    "refresh token": "1//0gAbCdEfGhIjKlMnOp-_",
    "refresh token in a form": "1%2F%2F0gAbCdEfGhIjKlMnOp-_",
    "ephemeral token": "auth_tokens/4bc0b2c8-9",
    "client secret": "GOCSPX-aBcD_efGh-1234567890",
    "private key": PEM,
    "encrypted key": PEM.replace(
        "KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A\n\n", 1
    ),
    "key of a service account": PEM.replace("RSA ", ""),
    "elliptic key": PEM.replace("RSA", "EC"),
    "private key quoted once more": PEM.replace("\n", "\\n"),
    "private key that was cut": PEM.partition("abc=")[0].rstrip(),
}
NOT_SECRETS = {
    "too short": "AIza" + "x" * 34,
    "too long": "AIza" + "x" * 36,
    "inside a word": "xAIza" + "x" * 35,
    "short second kind": "AQ.abc",
    "bare prefix": "tokens begin with ya29. or AIza or GOCSPX-",
    "integer division": "7 // 1//2 + 1//x",
    "address with an empty segment": "https://host/1//2",
    "collection": "POST /v1alpha/auth_tokens/",
    "talk of keys": "starts with -----BEGIN PRIVATE KEY----- and so on",
    "certificate": PEM.replace("PRIVATE KEY", "CERTIFICATE"),
    "public key": PEM.replace("RSA PRIVATE", "PUBLIC"),
}


BEFORE = ["", " ", '"', "\\n", "\\u003d", "=", "%3D", "é", "-", "(", "\n"]
AFTER = ["", " ", '"', "\\n", "\n", ".", "&x", ",", "é", ")"]


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_shape_is_found_between_word_boundaries_and_whole(secret):
    for before, after in product(BEFORE, AFTER):
        text = f"{before}{secret}{after}"
        assert Shapes().spans(text) == [(len(before), len(before) + len(secret))]
        assert Shapes().may_be_in(text.encode())


@pytest.mark.parametrize("text", NOT_SECRETS.values(), ids=NOT_SECRETS)
def test_what_only_looks_alike_stays(text):
    assert Shapes().spans(text) == []
    assert not Shapes().may_be_in(text.encode())


def test_several_secrets_are_found_in_order():
    text = " and ".join(SECRETS.values())
    assert [text[start:end] for start, end in Shapes().spans(text)] == list(SECRETS.values())
    assert Shapes().replaced(text) == (" and ".join([MARKER] * len(SECRETS)), len(SECRETS))


@given(st.text(), st.text())
def test_marker_forms_no_secret_with_its_neighbours(before, after):
    text = f"{before}{MARKER}{after}"
    assert not any(
        start < len(before) + len(MARKER) and end > len(before) for start, end in Shapes().spans(text)
    )


@given(st.lists(st.sampled_from([*SECRETS.values(), *NOT_SECRETS.values(), " ", "\n", "x"]), max_size=4))
def test_bytes_are_suspect_wherever_text_holds_a_secret(pieces):
    text = "".join(pieces)
    assert Shapes().may_be_in(text.encode()) or not Shapes().spans(text)


@pytest.mark.parametrize(
    "repeated", ["-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "1//", "AQ.", "AIza", "-"]
)
def test_repeated_beginnings_cost_no_more_than_their_length(repeated):
    """A square of this length would take hours."""
    text = repeated * 200_000
    assert Shapes().spans(text) == []
    assert not Shapes().may_be_in(text.encode())


@pytest.mark.parametrize(
    "escape",
    [
        r"1\/",
        r"1/\/",
        r"1\\/\\/",
        r"auth_tokens\/",
        r"\/\u0041",
        r"\u0041",
        r"\u002f",
        r"\u002D",
        r"\u005f",
        r"\u007A",
        r"\u0039",
    ],
)
def test_escapes_that_could_hide_a_secret_are_noticed(escape):
    assert hides_characters(f"a{escape}b".encode())


@pytest.mark.parametrize(
    "escape",
    [
        r"\n",
        r"https:\/\/x",
        r"\/1",
        r"\"",
        r"\\",
        r"\u00e9",
        r"\u003c",
        r"\u003d",
        r"\u0026",
        r"\u2028",
        "u0041",
    ],
)
def test_escapes_that_encoders_write_anyway_are_not(escape):
    assert not hides_characters(f"a{escape}b".encode())


def test_extra_patterns_are_searched_in_text():
    shapes = Shapes([r"kunde-\d{4}", "größe=[a-z]+"])
    assert shapes.spans("x kunde-1234, größe=klein") == [(2, 12), (14, 25)]
    assert shapes.tag != Shapes().tag
    assert shapes.tag == Shapes([r"kunde-\d{4}", "größe=[a-z]+"]).tag


@pytest.mark.parametrize(("pattern", "message"), [("(", "not a regular expression"), ("x*", "empty text")])
def test_unusable_patterns_are_refused(pattern, message):
    with pytest.raises(SetupError, match=message):
        Shapes([pattern])


def test_merged_spans_cover_the_same_ground():
    assert merged([(5, 9), (0, 3), (2, 4), (9, 10)]) == [(0, 4), (5, 9), (9, 10)]
