"""The configuration file: found, read, and refused by name where it says what it cannot say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.errors import ConfigError, PinError
from gemtape.cassettes.lookup import Repeat
from gemtape.cassettes.models import Violation
from gemtape.checks.baseline import to_baseline
from gemtape.checks.config import Config, load_config, parse_config
from gemtape.checks.finding import Severity
from gemtape.checks.pins import Pin, written_pin
from gemtape.checks.settings import Order, Settings

EVERYTHING = """
select = ["missing-signature", "mismatched-id"]
ignore = ["missing-id"]
baseline = "known.json"
pin = "contract.json"
match-ignore = ["/systemInstruction"]
match-patterns = ["run-[0-9]+"]
filters = ["iso-date", "uuid", "epoch"]
secrets = ["acme-[a-z]{20}"]
side-effects = ["refund_order"]
order = [{call = "refund_order", after = "find_order", same = ["id"]}]
error-results = ["/outcome/failed"]
repeat = "once"
strict = false

[severity]
missing-id = "warning"

[per-cassette-ignore]
"refunds/*" = ["wrong-role"]
"""


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_read(tmp_path: Path):
    path = _write(tmp_path / "gemtape.toml", EVERYTHING)

    assert load_config(tmp_path) == Config(
        source=path,
        select=("missing-signature", "mismatched-id"),
        ignore=("missing-id",),
        severity={"missing-id": Severity.WARNING},
        per_cassette_ignore={"refunds/*": ("wrong-role",)},
        baseline=tmp_path / "known.json",
        pin=tmp_path / "contract.json",
        match_ignore=("/systemInstruction",),
        match_patterns=("run-[0-9]+",),
        filters=("iso-date", "uuid", "epoch"),
        secrets=("acme-[a-z]{20}",),
        side_effects=("refund_order",),
        order=(Order("refund_order", "find_order", ("id",)),),
        error_results=("/outcome/failed",),
        repeat=Repeat.ONCE,
        strict=False,
    )


def test_the_rules_get_their_settings():
    table = {
        "side-effects": ["f"],
        "order": [{"call": "f", "after": "g"}],
        "error-results": ["/e"],
        "secrets": ["s+"],
    }

    config = parse_config(table, Path("gemtape.toml"))

    assert config.settings == Settings(("f",), (Order("f", "g"),), ("/e",), ("s+",))
    assert Config().settings == Settings()


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"gemtape.toml": "strict = true"}, "gemtape.toml"),
        ({"pyproject.toml": "[tool.gemtape]\nstrict = true"}, "pyproject.toml"),
        ({"pyproject.toml": "[tool.gemtape]", "gemtape.toml": ""}, "gemtape.toml"),
        (
            {"pyproject.toml": "[tool.gemtape]\n", "a/pyproject.toml": "[project]\nname = 'gemtape-user'"},
            "pyproject.toml",
        ),
        ({"gemtape.toml": "", "a/pyproject.toml": "broken = ["}, "gemtape.toml"),
        ({"pyproject.toml": "[tool.gemtape]", "a/gemtape.toml": ""}, "a/gemtape.toml"),
    ],
    ids=["own file", "project", "own file first", "another project's", "not ours to judge", "nearest"],
)
def test_it_is_found_by_walking_up(tmp_path: Path, files: dict[str, str], found: str):
    for name, text in files.items():
        _write(tmp_path / name, text)
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)

    assert load_config(folder).source == tmp_path / found


def test_the_current_folder_is_where_the_search_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    _write(tmp_path / "gemtape.toml", "ignore = ['missing-id']")
    monkeypatch.chdir(tmp_path)

    assert load_config().ignore == ("missing-id",)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"side_effects": []}, "'side_effects' is no key of gemtape; did you mean 'side-effects'?"),
        ({"selects": []}, "did you mean 'select'?"),
        ({"colour": 1}, "'colour' is no key of gemtape; there are select, ignore"),
        (
            {"tool": {"gemtape": {"select": []}}},
            "'tool' is no key of gemtape; in gemtape.toml the keys stand by themselves, without [tool.gemtape]",
        ),
        ({"select": "missing-id"}, "select: a list of texts is needed"),
        ({"ignore": ["mising-id"]}, "ignore: there is no rule 'mising-id'; did you mean 'missing-id'?"),
        ({"severity": {"missing-id": "fatal"}}, "severity: 'fatal' is none of info, warning, error"),
        ({"severity": ["missing-id"]}, "severity: a table from rules to severities is needed"),
        (
            {"severity": {"nothing": "error"}},
            "severity: there is no rule 'nothing'; `gemtape rules` lists them",
        ),
        ({"per-cassette-ignore": {"*": ["x"]}}, "there is no rule 'x'"),
        ({"per-cassette-ignore": []}, "a table from cassettes to rules is needed"),
        ({"baseline": 3}, "baseline: a text is needed"),
        ({"pin": ""}, "pin: a text is needed"),
        ({"match-ignore": ["labels"]}, "match-ignore: 'labels' is no JSON Pointer"),
        ({"error-results": [""]}, "error-results: a list of texts is needed"),
        ({"match-patterns": ["("]}, "match-patterns: '(' is no regular expression"),
        ({"secrets": ["x*"]}, "secrets: 'x*' matches the empty text"),
        ({"filters": ["dates"]}, "filters: 'dates' is none of iso-date, uuid, epoch"),
        ({"order": {"call": "f"}}, "order: a list of tables is needed"),
        ({"order": [{"call": "f"}]}, "order: an order needs call and after"),
        (
            {"order": [{"call": "f", "after": "g", "sane": []}]},
            "'sane' is no key of an order; did you mean 'same'?",
        ),
        ({"order": [{"call": "f", "after": 3}]}, "order: a text is needed"),
        ({"repeat": "never"}, "repeat: 'never' is none of last, cycle, once"),
        ({"strict": "yes"}, "strict: true or false is needed"),
    ],
    ids=str,
)
def test_what_a_key_cannot_say_is_refused_with_the_files_name(table: dict[str, Any], message: str):
    with pytest.raises(ConfigError) as refused:
        parse_config(table, Path("somewhere/gemtape.toml"))

    assert str(refused.value).startswith("somewhere/gemtape.toml: ")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("gemtape.toml", "select = [", "cannot be read"),
        ("gemtape.toml", b"\xff", "cannot be read"),
        ("pyproject.toml", "[tool.gemtape", "cannot be read"),
        ("pyproject.toml", "[tool]\ngemtape = 3", "[tool.gemtape] is no table"),
    ],
)
def test_a_broken_file_is_refused_by_name(tmp_path: Path, name: str, text: str | bytes, message: str):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(ConfigError) as refused:
        load_config(tmp_path)

    assert str(refused.value).startswith(str(path))
    assert message in str(refused.value)


def test_a_command_line_chooses_other_rules_and_ignores_more(tmp_path: Path):
    known = Violation("wrong-role", "error", 1, "request", "/contents/0", "x")
    path = _write(tmp_path / "known.json", to_baseline([("a.db", known)]))
    config = Config(select=("missing-id",), ignore=("wrong-start",), severity={"missing-id": Severity.ERROR})

    plain = config.selection()
    chosen = config.selection(select=["wrong-role"], ignore=["missing-id"], baseline=path)

    assert (plain.select, plain.ignore, plain.baseline) == ({"missing-id"}, {"wrong-start"}, frozenset())
    assert (chosen.select, chosen.ignore) == ({"wrong-role"}, {"wrong-start", "missing-id"})
    assert chosen.apply([known], "a.db") == ([], 1)
    assert chosen.severity == {"missing-id": Severity.ERROR}


def test_a_command_line_names_rules_that_exist():
    with pytest.raises(ConfigError, match="there is no rule 'missing_id'; did you mean 'missing-id'"):
        Config().selection(ignore=["missing_id"])


def test_a_configured_baseline_that_is_missing_is_an_error(tmp_path: Path):
    _write(tmp_path / "gemtape.toml", "baseline = 'known.json'")

    with pytest.raises(ConfigError, match=r"known\.json"):
        load_config(tmp_path).selection()


def test_the_rules_get_the_configured_pin(tmp_path: Path):
    _write(tmp_path / "gemtape.toml", "pin = 'contract.json'")
    config = load_config(tmp_path)

    with pytest.raises(PinError, match=r"there is no pin .*contract\.json"):
        _ = config.settings
    (tmp_path / "contract.json").write_bytes(written_pin(Pin("1")))
    assert config.settings == Settings(pin=Pin("1"))
