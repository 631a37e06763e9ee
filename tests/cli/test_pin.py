"""``gemtape pin`` and ``gemtape report --pin`` as a user runs them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gemtape.cassettes.store import Cassette
from gemtape.cli.main import gemtape
from tests.captures import CAPTURES, capture_exchanges
from tests.factories import SIGNATURE, call, calls, cassette_of, exchange, model_text, result, results, user

CAPTURE = next(path for path in CAPTURES if path.stem == "google-genai-py-chat-afc-parallel-ids")
QUESTION = user("Weather in Pune?")
SIGNED = calls(call("get_weather", {"city": "Pune"}, signature=SIGNATURE))


def _run(*arguments: object, code: int = 0) -> str:
    outcome = CliRunner().invoke(gemtape, list(map(str, arguments)))
    assert outcome.exit_code == code, outcome.output
    return outcome.output


def _weather(path: Path, response: Any) -> Path:
    history = [QUESTION, SIGNED, results(result("get_weather", response))]
    return cassette_of(path, [exchange([QUESTION], SIGNED), exchange(history, model_text("31"), at=2)])


def _captured(path: Path, *replacements: tuple[bytes, bytes]) -> Path:
    """The capture as a cassette, with other bytes in its requests."""
    with Cassette.create(path) as cassette:
        for one in capture_exchanges(CAPTURE):
            body = one.request.body
            for old, new in replacements:
                body = body.replace(old, new)
            cassette.add(_with_body(one, body))
    return path


def _with_body(one: Any, body: bytes) -> Any:

    return replace(one, request=replace(one.request, body=body))


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "contract.json"
    _run("pin", _captured(tmp_path / "run.db"), "-o", path)
    return path


def test_a_pin_names_functions_and_fields(contract: Path):
    pin = json.loads(contract.read_text())

    assert pin["toolsets"] == [["get_time", "get_weather"]]
    assert sorted(pin["functions"]) == ["get_time", "get_weather"]
    assert "/result/temp" in pin["functions"]["get_weather"]["results"]


def test_what_was_pinned_passes(contract: Path, tmp_path: Path):
    assert "drift" not in _run("report", "--pin", contract, tmp_path / "run.db")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"Get the weather.", b"Get weather.", "wording: get_weather: description"),
        (b'"required": ["city"]', b'"required": []', "widening: get_weather: city is not required now"),
        (b'{"city": {"type": "string"}}', b'{"town": {"type": "string"}}', "breaking: get_weather: "),
        (b'"get_weather"', b'"get_climate"', "breaking: get_weather is pinned beside these functions"),
        (b'"get_weather"', b'"get_climate"', "widening: get_climate is not pinned"),
        (
            b'"temp": ',
            b'"temperature": ',
            "/result/temperature (number) is not pinned; /result/temp is missing",
        ),
        (b'"temp": ', b'"lat": 18.5, "temp": ', "/result/lat (number) is not pinned"),
    ],
)
def test_a_mutated_recording_drifts(old: bytes, new: bytes, words: str, contract: Path, tmp_path: Path):
    mutated = _captured(tmp_path / "mutated.db", (old, new))

    said = " ".join(_run("report", "--pin", contract, mutated, code=1).split())
    assert words in said
    assert "drift" in said


def test_an_update_accepts_the_change_and_keeps_the_rest(contract: Path, tmp_path: Path):
    mutated = _captured(tmp_path / "mutated.db", (b'"temp": ', b'"lat": 18.5, "temp": '))
    assert "accepted" in _run("pin", mutated, "-o", contract, "--update")

    assert "drift" not in _run("report", "--pin", contract, mutated, tmp_path / "run.db")
    assert json.loads(contract.read_text())["functions"]["get_weather"]["results"]["/result/lat"]["optional"]


def test_an_update_from_one_agent_leaves_the_other_agents_variant(tmp_path: Path):
    contract = tmp_path / "contract.json"
    asking = _agent(tmp_path / "asking.db", "Weather of a city, by name.")
    mapping = _agent(tmp_path / "mapping.db", "Weather of a place on the map.", "get_map")
    _run("pin", asking, mapping, "-o", contract)
    changed = _agent(tmp_path / "changed.db", "Where is it on the map? Weather of a place.", "get_map")
    assert "declaration-drift" in _run("report", "--pin", contract, changed, code=1)
    _run("pin", changed, "-o", contract, "--update")

    assert "drift" not in _run("report", "--pin", contract, changed, asking)
    assert "declaration-drift" in _run("report", "--pin", contract, mapping, code=1)


def _agent(path: Path, description: str, *more: str) -> Path:
    """The recording of an agent that declares a function in its own way, beside others."""
    parameters = {"type": "OBJECT", "properties": {"city": {"type": "STRING", "description": "A city."}}}
    declared = [{"name": "get_weather", "description": description, "parameters": parameters}]
    declared += [{"name": name, "description": "Something else."} for name in more]
    tools = [{"functionDeclarations": declared}]
    return cassette_of(path, [exchange([QUESTION], model_text("31"), tools=tools)])


def test_a_report_can_accept_too(contract: Path, tmp_path: Path):
    mutated = _captured(tmp_path / "mutated.db", (b"Get the weather.", b"Get weather."))

    assert "drift" not in _run("report", "--pin", contract, "--update", mutated)
    assert "drift" not in _run("report", "--pin", contract, mutated)


def test_an_existing_pin_is_not_touched_by_accident(contract: Path, tmp_path: Path):
    before = contract.read_bytes()

    said = _run("pin", tmp_path / "run.db", "-o", contract, code=2)
    assert "--update" in said
    assert contract.read_bytes() == before


def test_json_reports_drift_as_any_violation(contract: Path, tmp_path: Path):
    drifted = _weather(tmp_path / "other.db", {"celsius": 31})

    document = json.loads(_run("report", "--pin", contract, drifted, "--format", "json", code=1))
    assert {item["rule"] for item in document["violations"]} == {"declaration-drift", "result-drift"}


def test_a_pin_of_the_configuration_needs_no_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Also not to be made and to be updated; an option takes its place."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[tool.gemtape]\npin = "agreed/tools.json"')
    (tmp_path / "agreed").mkdir()
    run, other = _weather(tmp_path / "run.db", {}), _weather(tmp_path / "other.db", {"celsius": 31})

    said = _run("report", run, code=2)
    assert "there is no pin" in said
    assert "gemtape pin CASSETTE" in said
    _run("pin", run)
    assert "drift" not in _run("report", run)
    assert "result-drift" in _run("report", other, code=1)
    _run("pin", other, "-o", "loose.json")
    assert "drift" not in _run("report", other, "--pin", "loose.json")
    assert "drift" not in _run("report", other, "--update")
    assert sorted(path.name for path in tmp_path.rglob("*.json")) == ["loose.json", "tools.json"]


def test_bad_input_is_one_line_and_nothing_is_written(tmp_path: Path):
    plain = cassette_of(tmp_path / "plain.db", [exchange([QUESTION], model_text("Hot."))])
    nowhere = tmp_path / "contract.json"

    assert "nothing to pin" in _run("pin", plain, "-o", nowhere, code=2)
    assert not nowhere.exists()
    assert "no cassette" in _run("pin", tmp_path / "missing.db", "-o", nowhere, code=2)
    assert "there is no pin" in _run(
        "pin", _weather(tmp_path / "run.db", {}), "-o", nowhere, "--update", code=2
    )
    assert "there is no pin" in _run("report", plain, "--pin", nowhere, code=2)
    assert "--pin FILE" in _run("report", plain, "--update", code=2)
    nowhere.write_text("{}")
    assert "is no pin" in _run("report", plain, "--pin", nowhere, code=2)
