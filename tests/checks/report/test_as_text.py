"""The report as text: compared whole, since people read it whole."""

from __future__ import annotations

from gemtape.cassettes.models import Violation
from gemtape.checks.report.as_text import to_text
from gemtape.checks.report.model import CassetteReport, Report


def _found(exchange: int, severity: str = "error", message: str = "it is gone") -> Violation:
    return Violation(
        "missing-signature", severity, exchange, "request", "/contents/1/parts/0", message, "m", 400
    )


def test_by_cassette_and_exchange_with_a_summary():
    answer = Violation("failed-finish", "warning", 2, "response", "/candidates/0", "stopped", "m", 200)
    report = Report(
        (CassetteReport("run.db", 2, 1, (_found(1), answer), {1: "m:generateContent", 2: "m:x"}, 3),)
    )

    assert to_text(report) == (
        "run.db: 2 exchanges, 1 conversation\n"
        "\n"
        "  exchange 1  m:generateContent  400\n"
        "    error    missing-signature  /contents/1/parts/0\n"
        "      it is gone\n"
        "\n"
        "  exchange 2  m:x  200\n"
        "    warning  failed-finish  answer /candidates/0\n"
        "      stopped\n"
        "\n"
        "1 error, 1 warning, 0 info, 3 suppressed\n"
        "`gemtape rules missing-signature` explains a rule.\n"
    )


def test_what_later_requests_repeat_is_said_once():
    report = Report((CassetteReport("run.db", 9, 1, tuple(_found(number) for number in range(1, 10))),))

    text = to_text(report)

    assert text.count("missing-signature  /contents") == 1
    assert "(again in exchange 2, 3, 4, 5, 6 and 3 more)" in " ".join(text.split())
    assert "9 errors" in text


def test_nothing_found():
    assert to_text(Report((CassetteReport("run.db", 1, 1, ()),))) == (
        "run.db: 1 exchange, 1 conversation\n\n0 errors, 0 warnings, 0 info\n"
    )


def test_recorded_text_cannot_drive_the_terminal():
    text = to_text(Report((CassetteReport("run.db", 1, 1, (_found(1, message="a\x1b[2Jb\nc"),)),)))

    assert "\x1b" not in text
    assert "a\\x1b[2Jb" in text


def test_nothing_that_a_request_named_reaches_the_terminal_as_it_is():
    """Places hold names of arguments; calls and cassettes those of models and files."""
    found = Violation("invalid-arguments", "error", 1, "response", "/args/f\x1b[2J", "x", "m", 200)
    report = Report((CassetteReport("run\x1b[2J.db", 1, 1, (found,), {1: "m\x1b[2J:generateContent"}),))

    assert all(line.isprintable() for line in to_text(report).splitlines())
