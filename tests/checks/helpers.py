"""Judging small conversations in tests of the rules.

A step is a request (a list of contents, or a whole body), or a tuple of a request, its answer (a content, a whole answer,
or a list of events) and the answer's status.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.layout import lay_out
from gemtape.cassettes.models import Exchange, Violation
from gemtape.cassettes.turns import TurnTree
from gemtape.checks.finding import Finding
from gemtape.checks.judge import Judge
from tests.checks.pages import Example, Step


def judge(*steps: Any, **example: Any) -> list[Violation]:
    """The violations of a conversation; `model`, `surface`, `tools` and `config` are those of an example on a rule's page."""
    judge = Judge(settings=Example(**example).settings)
    return [item for entry in entries(_exchanges(steps, **example)) for item in judge.judge(entry)]


def examine(*steps: Any, **example: Any) -> list[Finding]:
    """What is wrong with the last request of a conversation, before any answer to it."""
    judge = Judge()
    *earlier, last = entries(_exchanges(steps, **example))
    for entry in earlier:
        judge.judge(entry)
    return judge.findings(last)


def found(violations: Iterable[Violation], rule: str) -> list[tuple[str, str]]:
    """Severity and pointer of what one rule says."""
    return [(item.severity, item.pointer) for item in violations if item.rule == rule]


def rejections(findings: Iterable[Finding], rule: str) -> list[str]:
    """The words with which the API refuses what one rule says; empty where it is not known to."""
    return [item.rejection for item in findings if item.rule == rule]


def loud(violations: Iterable[Violation]) -> list[tuple[str, str]]:
    """Rule and pointer of everything above info."""
    return [(item.rule, item.pointer) for item in violations if item.severity != "info"]


def entries(exchanges: Iterable[Exchange]) -> Iterator[Entry]:
    """Exchanges as one cassette has them, numbered from 1."""
    tree = TurnTree()
    for number, exchange in enumerate(exchanges, 1):
        request = exchange.request
        layout = lay_out(request.json, tree)
        yield Entry(
            method=request.method,
            path=request.path,
            query=request.query,
            headers=request.headers,
            upstream=request.upstream,
            layout=layout,
            raw_body=request.body if layout.envelope is None else None,
            response=exchange.response,
            failure=exchange.failure,
            started_at=exchange.started_at,
            duration_ms=exchange.duration_ms,
            number=number,
        )


def _exchanges(steps: tuple[Any, ...], **example: Any) -> list[Exchange]:
    written = [Step(*step) if isinstance(step, tuple) else Step(step) for step in steps]
    return Example(**example, steps=written).exchanges
