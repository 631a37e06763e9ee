"""Which cassette a test has: readable where a name can be, never the same for two tests, never outside its folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.naming import LONGEST_SEGMENT, cassette_name, cassette_path
from gemtape.replay.testnames import cassette_of_test

MODULE = Path("/project/tests/test_refunds.py")
FOLDER = Path("/project/tests/cassettes")


@pytest.mark.parametrize(
    ("names", "file"),
    [
        (["test_happy"], "test_happy.db"),
        (["test_happy[ORD-100]"], "test_happy[ORD-100].db"),
        (["TestRefund", "TestTwice", "test_happy"], "TestRefund.TestTwice.test_happy.db"),
        (["test_straße[größe]"], "test_straße[größe].db"),
    ],
)
def test_names_that_files_can_have_stay(names: list[str], file: str):
    assert cassette_of_test(MODULE, names) == FOLDER / "test_refunds" / file


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("test_x[a/b]", r"test_x\[a_b\]-[0-9a-f]{8}\.db"),
        ("test_x[a b]", r"test_x\[a_b\]-[0-9a-f]{8}\.db"),
        ("test_x[../../etc/passwd]", r"test_x\[\.\._\.\._etc_passwd\]-[0-9a-f]{8}\.db"),
        ("test_x[CON:]\n", r"test_x\[CON_\]_-[0-9a-f]{8}\.db"),
        ("..", r"t-\.\.-[0-9a-f]{8}\.db"),
        ("con.x", r"t-con\.x-[0-9a-f]{8}\.db"),
        ("", r"t--[0-9a-f]{8}\.db"),
        ("\ud800", r"_-[0-9a-f]{8}\.db"),
    ],
)
def test_names_that_not_every_file_can_have_are_changed_and_hashed(name: str, pattern: str):
    path = cassette_of_test(MODULE, [name])

    assert path.parent == FOLDER / "test_refunds"
    assert re.fullmatch(pattern, path.name)


def test_names_that_would_become_the_same_are_told_apart():
    names = ["test_x[a/b]", "test_x[a:b]", "test_x[a_b]", "x" * 300, "x" * 301]

    assert len({cassette_of_test(MODULE, [name]) for name in names}) == len(names)


def test_module_whose_name_is_a_word_of_the_api_is_changed():
    """`gemtape replay cassettes/` would take it for the beginning of the API's path."""
    assert re.fullmatch(
        r"models-[0-9a-f]{8}", cassette_of_test(Path("tests/models.py"), ["test_x"]).parent.name
    )


@given(st.text(min_size=0, max_size=400), st.lists(st.text(max_size=200), min_size=1, max_size=3))
def test_every_cassette_can_be_played_by_name(stem: str, names: list[str]):
    """From the folder of all cassettes, whatever the test is called."""
    module = Path("tests") / (stem.replace("/", "").replace("\0", "") + "x.py")
    path = cassette_of_test(module, names)
    name = f"{path.parent.name}/{path.name}".removesuffix(".db")

    assert path.parent.parent == module.parent / "cassettes"
    assert len(path.name.encode()) <= LONGEST_SEGMENT
    assert cassette_path(path.parent.parent, cassette_name(name)) == path
