"""The checks of a cassette that is being recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.errors import PinError
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.version import VERSION
from gemtape.checks.config import Config
from gemtape.checks.live import checked_by, judges, strict_for
from gemtape.checks.pins import Pin, written_pin
from tests.factories import SIGNATURE, call, calls, cassette_of, exchange, model_text, result, results, user

QUESTION = user("Weather in Pune?")
SIGNED = calls(call("get_weather", {"city": "Pune"}, signature=SIGNATURE))
UNSIGNED = calls(call("get_weather", {"city": "Pune"}))
SECOND = exchange([QUESTION, UNSIGNED, results(result("get_weather", {"c": 31}))], model_text("31"), at=2)


def _rules(path: Path, config: Config) -> list[str]:
    with Cassette.append_to(path) as cassette:
        _, violations = cassette.append(cassette.prepare(SECOND), judges(config)(cassette), checked_by())
    return [item.rule for item in violations if item.severity != "info"]


def test_it_knows_what_is_in_the_cassette_already(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [exchange([QUESTION], SIGNED)])

    assert _rules(path, Config()) == ["missing-signature"]
    with Cassette.read(path) as cassette:
        assert ("missing-signature", "error") in [row[1:] for row in cassette.stored_violations()]


def test_the_configured_selection_holds(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [exchange([QUESTION], SIGNED)])

    assert _rules(path, Config(ignore=("missing-signature",))) == []


def test_the_configured_pin_holds_and_is_read_before_anything_is_recorded(tmp_path: Path):
    path = cassette_of(tmp_path / "run.db", [exchange([QUESTION], SIGNED)])
    pin = tmp_path / "contract.json"

    for make in (judges, strict_for):
        with pytest.raises(PinError, match="there is no pin"):
            make(Config(pin=pin))
    pin.write_bytes(written_pin(Pin("1")))
    assert _rules(path, Config(pin=pin, ignore=("missing-signature",))) == ["result-drift"]


def test_what_is_enforced_follows_the_selection(tmp_path: Path):
    with Cassette.temporary() as cassette:
        request = cassette.request_entry(SECOND.request)

    rejection = strict_for(Config())(tmp_path / "run.db").rejection(request)
    assert rejection is not None
    assert (rejection.status, rejection.rule) == (400, "missing-signature")
    assert strict_for(Config(ignore=("missing-signature",)))(tmp_path / "run.db").rejection(request) is None


def test_checked_by_names_the_version_and_the_rules():
    version, _, rules = checked_by().partition(" ")

    assert (version, len(rules)) == (VERSION, 12)
