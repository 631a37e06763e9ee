"""Which recorded calls can be drilled."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.checks.proposals import Proposal
from gemtape.replay.drill.targets import Target, generating, targets
from tests.factories import SIGNATURE, call, calls, cassette_of, exchange, user
from tests.replay.drill.recorded import TOOLS, conversation


def _targets(path: Path, exchanges: list[Exchange]) -> list[Target]:
    with Cassette.read(cassette_of(path, exchanges)) as cassette:
        return targets(generating(cassette.entries()))


def test_a_call_with_a_schema_is_drilled_in_seven_ways(tmp_path: Path):
    (target,) = _targets(tmp_path / "run.db", conversation())

    assert (target.exchange, target.position, target.part, target.call) == (1, 0, 0, 0)
    assert [item.proposal for item in target.proposals] == list(Proposal)


def test_every_parallel_call_is_drilled(tmp_path: Path):
    found = _targets(tmp_path / "run.db", conversation(parallel=True, streamed=True))

    assert [(target.function, target.part, target.call) for target in found] == [
        ("get_forecast", 0, 0),
        ("get_time", 1, 1),
    ]


def test_what_is_no_generate_content_takes_no_position(tmp_path: Path):
    count = exchange([user("Hi.")], path="/v1beta/models/gemini-3-pro-preview:countTokens")

    (target,) = _targets(tmp_path / "run.db", [count, *conversation()])
    assert (target.exchange, target.position) == (2, 0)


def test_calls_that_have_nothing_valid_to_compare_with_say_so(tmp_path: Path):
    undeclared = exchange([user("Hi.")], calls(call("get_weather", {}, signature=SIGNATURE)), tools=TOOLS)
    unfit = exchange([user("Hi.")], calls(call("get_forecast", {}, signature=SIGNATURE)), tools=TOOLS)
    broken = exchange([user("Hi.")], calls({"functionCall": {"name": "get_time", "args": 3}}), tools=TOOLS)
    first = conversation()[0]
    assert first.response is not None
    cut = replace(first, response=replace(first.response, cut=True))

    found = _targets(tmp_path / "run.db", [undeclared, unfit, broken, cut])

    assert [(target.exchange, target.proposals) for target in found] == [(1, ()), (2, ()), (3, ())]
    assert [target.why for target in found] == [
        "it is not declared",
        "its recorded arguments do not fit: city is required and missing; days is required and missing",
        "its recorded arguments do not fit: they are no object",
    ]


def test_of_two_declarations_the_one_that_fits_counts(tmp_path: Path):
    other = {"name": "get_forecast", "parameters": {"type": "OBJECT", "required": ["country"]}}
    first, *_ = conversation()
    body = json.loads(first.request.body)
    body["tools"][0]["functionDeclarations"].insert(0, other)
    twice = replace(first, request=replace(first.request, body=json.dumps(body).encode()))

    (target,) = _targets(tmp_path / "run.db", [twice])
    assert [item.proposal for item in target.proposals] == list(Proposal)
