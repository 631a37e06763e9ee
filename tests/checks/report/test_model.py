"""The report's contents, apart from any format."""

from __future__ import annotations

from gemtape.cassettes.models import Violation
from gemtape.cassettes.store import Cassette
from gemtape.checks.finding import Severity
from gemtape.checks.judge import Judge
from gemtape.checks.report.model import CassetteReport, Report, describe_call, judge_cassette
from tests.factories import SIGNATURE, call, calls, exchange, model_text, result, results, user


def _violation(severity: str) -> Violation:
    return Violation("some-rule", severity, 1, "request", "/contents/0", "text")


def _report(*severities: str) -> Report:
    return Report((CassetteReport("a.db", 1, 1, tuple(map(_violation, severities))),))


def test_counts_by_severity():
    report = _report("error", "info", "error")

    assert [report.count(severity) for severity in Severity] == [1, 0, 2]


def test_fails_at_the_threshold_or_worse():
    assert _report("error").fails(Severity.WARNING)
    assert _report("warning").fails(Severity.WARNING)
    assert not _report("info").fails(Severity.WARNING)
    assert not _report("error").fails(None)


def test_judging_counts_exchanges_and_conversations_and_names_the_calls_with_violations():
    """Two conversations, one of them with a second step that lost its signature."""
    question = user("Weather in Pune?")
    unsigned = calls(call("get_weather", {"city": "Pune"}))
    signed = calls(call("get_weather", {"city": "Pune"}, signature=SIGNATURE))
    with Cassette.temporary() as cassette:
        cassette.add(exchange([question], signed))
        cassette.add(
            exchange([question, unsigned, results(result("get_weather", {"c": 31}))], model_text("31"), at=2)
        )
        cassette.add(exchange([user("Name a moss.")], model_text("Sphagnum."), at=3))

        judged = judge_cassette("a.db", cassette.entries(), Judge())

    assert (judged.exchanges, judged.conversations) == (3, 2)
    assert [item.rule for item in judged.violations] == ["missing-signature"]
    assert judged.calls == {2: "gemini-3-pro-preview:generateContent"}


def test_a_call_without_an_action_is_named_by_method_and_resource():
    with Cassette.temporary() as cassette:
        entry = cassette.add(exchange([], model_text("x"), path="/v1beta/files/abc"))

    assert describe_call(entry) == "POST files/abc"
