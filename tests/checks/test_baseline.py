"""Baselines: fingerprints that outlive further recording, and the file that holds them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gemtape.cassettes.errors import ConfigError
from gemtape.cassettes.models import Violation
from gemtape.checks.baseline import fingerprint, read_baseline, to_baseline

KNOWN = Violation(
    "missing-signature",
    "error",
    2,
    "request",
    "/contents/1/parts/0",
    "call get_weather is the first of its step and has no thoughtSignature; exchange 1 issued one with it",
)


@pytest.mark.parametrize(
    "same",
    [
        replace(KNOWN, exchange=7),
        replace(KNOWN, pointer="/contents/13/parts/2"),
        replace(KNOWN, message=KNOWN.message.replace("exchange 1", "exchange 12")),
        replace(KNOWN, severity="warning", status=400, model="gemini-3.6-flash"),
    ],
    ids=["exchange", "place", "number", "rest"],
)
def test_the_same_fault_elsewhere_has_the_same_fingerprint(same: Violation):
    assert fingerprint(same, "tapes/run.db") == fingerprint(KNOWN, "tapes/run.db")


@pytest.mark.parametrize(
    "other",
    [
        replace(KNOWN, rule="altered-signature"),
        replace(KNOWN, at="response"),
        replace(KNOWN, pointer="/contents/1"),
        replace(KNOWN, message=KNOWN.message.replace("get_weather", "get_time")),
    ],
    ids=["rule", "body", "place", "function"],
)
def test_another_fault_has_another_fingerprint(other: Violation):
    assert fingerprint(other, "tapes/run.db") != fingerprint(KNOWN, "tapes/run.db")


def test_ids_that_differ_at_every_recording_do_not_count():
    told = [
        replace(KNOWN, message=f"response f has id '{name}'; its call has '{name}x'")
        for name in ("hq1dul8c", "p9s2")
    ]

    assert fingerprint(told[0], "a.db") == fingerprint(told[1], "a.db")


@pytest.mark.parametrize("cassette", ["tapes/run.db", "/data/tapes/run.db", "tapes\\run.db", "tapes/run"])
def test_a_cassette_is_known_by_its_name_and_folder_wherever_they_lie(cassette: str):
    assert fingerprint(KNOWN, cassette) == fingerprint(KNOWN, "tapes/run.db")


def test_a_cassette_of_the_same_name_in_another_folder_is_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    assert fingerprint(KNOWN, "a/happy.db") != fingerprint(KNOWN, "b/happy.db")
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    assert fingerprint(KNOWN, "happy.db") == fingerprint(KNOWN, "a/happy.db")


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path):
    other = replace(KNOWN, rule="mismatched-id", message="é")
    path = tmp_path / "baseline.json"
    path.write_text(to_baseline([("run.db", KNOWN), ("run.db", other), ("run.db", KNOWN)]), encoding="utf-8")

    assert read_baseline(path) == {fingerprint(KNOWN, "run.db"), fingerprint(other, "run.db")}


def test_the_file_is_sorted_and_says_what_each_fingerprint_stands_for():
    found = [("t/b.db", KNOWN), ("t/a.db", KNOWN), ("t/a.db", replace(KNOWN, rule="altered-signature"))]

    text = to_baseline(found)

    assert text == to_baseline(reversed(found))
    known = json.loads(text)["known"]
    assert [(item["cassette"], item["rule"]) for item in known.values()] == [
        ("t/a", "altered-signature"),
        ("t/a", "missing-signature"),
        ("t/b", "missing-signature"),
    ]
    assert next(iter(known.values()))["place"] == "/contents/*/parts/*"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        ("{", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("[]", "no baseline"),
        ('{"known": []}', "no baseline"),
        ('{"gemtape-baseline": 2, "known": {}}', "another version"),
    ],
    ids=["missing", "broken", "deep", "a list", "other", "newer"],
)
def test_what_is_no_baseline_is_refused_by_name(tmp_path: Path, text: str | None, message: str):
    path = tmp_path / "baseline.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError, match=message) as refused:
        read_baseline(path)
    assert str(path) in str(refused.value)
