"""Every class of argument fault is found where it is, in both spellings of schemas, and so is the call that ran all the same."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gemtape.cassettes.models import Violation
from tests.checks.helpers import judge
from tests.checks.respelled import lowered
from tests.factories import SIGNATURE, call, calls, result, results, user

ARGUMENT = "invalid-arguments"
RAN = "unvalidated-call"
ASK = user("Do it.")
KINDS: dict[str, tuple[dict[str, Any], st.SearchStrategy[Any]]] = {
    "text": ({"type": "STRING"}, st.text(max_size=5)),
    "count": ({"type": "INTEGER", "minimum": 1, "maximum": 7}, st.integers(1, 7)),
    "ratio": ({"type": "NUMBER", "minimum": 0}, st.floats(0, 9, allow_nan=False)),
    "flag": ({"type": "BOOLEAN"}, st.booleans()),
    "unit": (
        {"type": "STRING", "enum": ["celsius", "fahrenheit"]},
        st.sampled_from(["celsius", "fahrenheit"]),
    ),
    "code": ({"type": "STRING", "pattern": "^ORD-[0-9]+$"}, st.from_regex(r"ORD-[0-9]{1,3}", fullmatch=True)),
    "hours": (
        {"type": "ARRAY", "items": {"type": "INTEGER"}, "maxItems": 3},
        st.lists(st.integers(0, 9), max_size=3),
    ),
    "maybe": ({"type": "INTEGER", "nullable": True}, st.none() | st.integers(0, 9)),
    "either": ({"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}, st.text(max_size=3) | st.integers(0, 9)),
}


@dataclass
class Case:
    """A declared function and arguments that fit it."""

    declaration: dict[str, Any]
    args: dict[str, Any]

    def places(self, *kinds: str) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
        """Where arguments of some kinds stand, and the object that holds them: at the top, or in an inner object."""
        for holder, value in (((), self.args), (("inner",), self.args.get("inner", {}))):
            yield from ((((*holder, kind)), value) for kind in kinds if kind in value)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Objects of some of the kinds, some required, one of them nested."""
    schema, args = _object(draw)
    if draw(st.booleans()):
        inner, value = _object(draw)
        schema["properties"]["inner"] = inner
        args["inner"] = value
    declaration = {"name": "act", "description": "Acts on what it is told.", "parameters": schema}
    return Case(declaration if draw(st.booleans()) else lowered(declaration), args)


def _object(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    names = draw(st.lists(st.sampled_from(list(KINDS)), unique=True, min_size=2))
    required = [name for name in names if draw(st.booleans())]
    given = [name for name in names if name in required or draw(st.booleans())]
    properties = {name: copy.deepcopy(KINDS[name][0]) for name in names}
    schema = {"type": "OBJECT", "properties": properties, "required": required}
    return schema, {name: draw(KINDS[name][1]) for name in given}


Place = tuple[str, ...]
Change = Callable[[Case, st.DrawFn], Place | None]
"""Changes the arguments of a case at a place; None where there is nothing to change."""


def _replace(kinds: tuple[str, ...], *values: Any) -> Change:
    def change(case: Case, draw: st.DrawFn) -> Place | None:
        places = list(case.places(*kinds))
        if not places:
            return None
        place, holder = draw(st.sampled_from(places))
        holder[place[-1]] = draw(st.sampled_from(values))
        return place

    return change


def _as_text(case: Case, draw: st.DrawFn) -> Place | None:
    places = [item for item in case.places("count", "ratio", "flag") if item[1][item[0][-1]] is not None]
    if not places:
        return None
    place, holder = draw(st.sampled_from(places))
    value = holder[place[-1]]
    if isinstance(value, float) and "e" in str(value):
        return None
    holder[place[-1]] = str(value).lower()
    return place


def _without(case: Case, draw: st.DrawFn) -> Place | None:
    schema = case.declaration.get("parameters", case.declaration.get("parametersJsonSchema"))
    found = [((name,), case.args) for name in schema["required"]]
    if "inner" in case.args:
        needed = schema["properties"]["inner"]["required"]
        found += [(("inner", name), case.args["inner"]) for name in needed]
    if not found:
        return None
    place, holder = draw(st.sampled_from(found))
    del holder[place[-1]]
    return place


def _extra(case: Case, draw: st.DrawFn) -> Place | None:
    holders = [((), case.args), *([(("inner",), case.args["inner"])] if "inner" in case.args else [])]
    way, holder = draw(st.sampled_from(holders))
    holder["tenant"] = draw(st.sampled_from(["acme", 1, None, {"id": 1}]))
    return (*way, "tenant")


@dataclass(frozen=True)
class Mutator:
    """A change of fitting arguments: the class that it belongs to, how bad it is, and how bad it is to run it."""

    change: Change
    fault: str
    severity: str = "warning"
    ran: str = "error"


MUTATORS = {
    "a number or a boolean as text": Mutator(_as_text, "coercible-type", ran="warning"),
    "a number for a text": Mutator(_replace(("text",), 3, 2.5, True), "coercible-type", ran="warning"),
    "an object for a value": Mutator(_replace(("text", "count", "flag", "unit"), {}, {"a": 1}), "wrong-type"),
    "words for a number": Mutator(_replace(("count", "ratio", "maybe"), "three", "", "3 days"), "wrong-type"),
    "a value for a list": Mutator(_replace(("hours",), 3, "3"), "wrong-type"),
    "no alternative": Mutator(_replace(("either",), {}, [], [1]), "wrong-type"),
    "outside the enumeration": Mutator(_replace(("unit",), "kelvin", "Celsius", ""), "outside-enum"),
    "outside the range": Mutator(_replace(("count",), 0, 8, 14, -1), "outside-range"),
    "below the minimum": Mutator(_replace(("ratio",), -1, -0.5), "outside-range"),
    "too many items": Mutator(_replace(("hours",), [1, 2, 3, 4]), "outside-range"),
    "not of the pattern": Mutator(_replace(("code",), "7", "ORD-", "ord-1"), "outside-range"),
    "a required one missing": Mutator(_without, "missing"),
    "an undeclared one": Mutator(_extra, "undeclared-argument", severity="info", ran=""),
}


def _violations(case: Case, response: Any, *, name: str = "act") -> list[Violation]:
    """What is wrong where the model calls, and the function brings a result."""
    model = calls(call(name, case.args, signature=SIGNATURE))
    return judge(
        ([ASK], model),
        [ASK, model, results(result(name, response))],
        tools=[{"functionDeclarations": [case.declaration]}],
    )


def _told(violations: list[Violation], *rules: str) -> list[tuple[str, str, str]]:
    return [(item.rule, item.severity, item.pointer) for item in violations if item.rule in rules]


@given(cases())
@settings(max_examples=80)
def test_arguments_that_fit_are_left_in_peace(case: Case):
    assert _told(_violations(case, {"done": True}), ARGUMENT, RAN, "undeclared-call") == []


@pytest.mark.parametrize("mutator", MUTATORS.values(), ids=MUTATORS)
def test_a_fault_is_classed_at_its_place_and_its_execution_is_found(mutator: Mutator):
    applied = 0

    @given(cases(), st.data())
    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    def check(case: Case, data: st.DataObject) -> None:
        nonlocal applied
        changed = mutator.change(case, data.draw)
        assume(changed is not None)
        assert changed
        applied += 1
        pointer = "/".join(("/candidates/0/content/parts/0/functionCall/args", *changed))
        ran = [(RAN, mutator.ran, "/contents/2/parts/0")] if mutator.ran else []

        found = _violations(case, {"done": True})
        assert _told(found, ARGUMENT, RAN) == [(ARGUMENT, mutator.severity, pointer), *ran]
        assert f"({mutator.fault})" in next(item.message for item in found if item.rule == ARGUMENT)

        rejected = _violations(case, {"error": "no such value"})
        assert _told(rejected, ARGUMENT, RAN) == [(ARGUMENT, mutator.severity, pointer)]

    check()
    assert applied, "no arguments had a place for this fault"


@given(cases())
@settings(max_examples=30)
def test_an_undeclared_function_is_found_whatever_its_arguments(case: Case):
    found = _violations(case, {"error": "no such function"}, name="act_v2")

    assert _told(found, "undeclared-call", ARGUMENT, RAN) == [
        ("undeclared-call", "warning", "/candidates/0/content/parts/0")
    ]
