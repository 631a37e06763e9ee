"""Which names a path prefix may give to a cassette, and that no other ever reaches the file system."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.errors import CassetteNameError
from gemtape.cassettes.naming import cassette_name, cassette_path, names_folder, split_session, status_file


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("happy", "happy"),
        ("refunds/happy", "refunds/happy"),
        ("refunds/two%20words", "refunds/two words"),
        ("test_refund[eur-3]", "test_refund[eur-3]"),
        ("refunds/happy.db", "refunds/happy"),
        ("caf%C3%A9", "café"),
        ("cafe%CC%81", "café"),
        ("v", "v"),
        ("version1", "version1"),
    ],
)
def test_prefix_names_a_cassette(prefix: str, name: str):
    assert cassette_name(prefix) == name


@pytest.mark.parametrize(
    ("prefix", "reason"),
    [
        ("", "no cassette is named"),
        ("..", "only letters"),
        ("a/../b", "only letters"),
        ("%2e%2e/b", "only letters"),
        ("a%2f..%2fb", "only letters"),
        ("a%5cb", "only letters"),
        ("/etc/passwd", "an empty part"),
        ("a//b", "an empty part"),
        (".hidden", "only letters"),
        ("-rf", "only letters"),
        ("a%00b", "only letters"),
        ("a%0ab", "only letters"),
        ("a%1b%5b31m", "only letters"),
        ("a%7f", "only letters"),
        ("a:b", "only letters"),
        ("C%3A", "only letters"),
        ("trailing.", "only letters"),
        ("trailing%20", "only letters"),
        ("a%E2%80%AEb", "only letters"),
        ("a%ff", "not UTF-8"),
        ("@run1", "only letters"),
        ("a" * 121, "longer than 120 bytes"),
        ("%C3%A9" * 61, "longer than 120 bytes"),
        ("/".join(["a" * 100] * 6), "at most 600 bytes"),
        ("v1beta", "a word of the API"),
        ("a/models", "a word of the API"),
        ("%76%31", "a word of the API"),
        ("_gemtape", "a word of the API"),
        ("a.db/b", "a folder that looks like a cassette"),
        ("NUL", "a device"),
        ("com1.txt", "a device"),
    ],
)
def test_hostile_prefix_is_refused(prefix: str, reason: str):
    with pytest.raises(CassetteNameError, match=reason) as raised:
        cassette_name(prefix)

    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 400


@given(st.text(max_size=60))
def test_no_prefix_leaves_the_folder(prefix: str):
    folder = Path("/tapes")
    try:
        path = cassette_path(folder, cassette_name(prefix))
    except CassetteNameError:
        return

    assert ".." not in path.parts
    assert path.is_relative_to(folder)
    assert path != folder
    assert path.name.endswith(".db")
    assert not any(part.startswith(".") for part in path.relative_to(folder).parts)


def test_path_of_a_name():
    assert cassette_path(Path("tapes"), "refunds/happy.v2") == Path("tapes/refunds/happy.v2.db")


@pytest.mark.parametrize(
    "secret", ["AIza" + "k" * 35, "%41Iza" + "k" * 35, "x,ya29.a0token", "AQ." + "k" * 30]
)
@pytest.mark.parametrize("prefix", ["{}", "folder/{}.db", "{}/test"])
def test_no_file_is_called_as_a_secret(secret: str, prefix: str):
    """Some gateways have the key in the path, and so has who takes that base URL for a name."""
    with pytest.raises(CassetteNameError, match="a key or token stands where") as raised:
        cassette_name(prefix.format(secret))

    assert secret[-20:] not in str(raised.value)


@pytest.mark.parametrize(
    ("prefix", "parts"),
    [
        ("refunds/happy/@run1", ("refunds/happy", "run1")),
        ("refunds/happy/%40run1", ("refunds/happy", "run1")),
        ("@run1", ("", "run1")),
        ("refunds/happy", ("refunds/happy", "")),
        ("", ("", "")),
    ],
)
def test_session_is_taken_off(prefix: str, parts: tuple[str, str]):
    assert split_session(prefix) == parts


@pytest.mark.parametrize("prefix", ["a/@", "a/@%00", "a/@..", "a/@b%2fc"])
def test_session_follows_the_rules_of_names(prefix: str):
    with pytest.raises(CassetteNameError):
        split_session(prefix)


def test_session_stands_last():
    name, _ = split_session("a/@run/b")

    with pytest.raises(CassetteNameError):
        cassette_name(name)


def test_folder_is_told_by_slash_or_by_being_one(tmp_path: Path):
    assert names_folder("new/")
    assert names_folder(str(tmp_path))
    assert not names_folder(str(tmp_path / "run.db"))


def test_file_of_a_recorder_stands_beside_the_cassette_and_is_none():
    assert status_file(Path("tapes/run.db")) == Path("tapes/run.db.status")
