"""``gemtape rules``: what the checks look for, and the page of each rule."""

from __future__ import annotations

from difflib import get_close_matches

import click

from ..cassettes.errors import SetupError
from ..checks.page import parse_page
from ..checks.registry import RULES, rule_named
from ..checks.rule import Rule


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the rules, or print the page of one.

    The list has one line a rule: its name, its usual severity, and what it objects to. The page of a rule says what it
    finds and why it matters, shows a bad and a good history, and tells how the usual clients come by it and how to mend
    it.
    """
    if name is None:
        click.echo("\n".join(_lines()))
    else:
        rule = _find(name)
        click.echo(f"{rule.name}: {rule.page.strip().replace('``', '`')}")


def _lines() -> list[str]:
    width = max(len(rule.name) for rule in RULES)
    return [f"{rule.name:<{width}}  {_severity(rule):<7}  {rule.summary}" for rule in RULES]


def _severity(rule: Rule) -> str:
    severities = parse_page(rule.page).severities
    return severities[0] if severities else ""


def _find(name: str) -> Rule:
    wanted = name.strip().lower().replace("_", "-")
    rule = rule_named(wanted)
    if rule is None:
        near = _near(wanted)
        raise SetupError(
            f"there is no rule {name!r}; {f'did you mean {near}?' if near else 'gemtape rules lists them'}"
        )
    return rule


def _near(wanted: str) -> str:
    """The name that was most likely meant, empty where none comes near: one that begins so, else one that looks so."""
    names = [rule.name for rule in RULES]
    beginning = [name for name in names if wanted and name.startswith(wanted)]
    return next(iter(beginning or get_close_matches(wanted, names, n=1)), "")
