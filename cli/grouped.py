"""Options under headings of their own in `--help`, for commands that have many."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click


class GroupedOption(click.Option):
    """An option that stands under a heading."""

    def __init__(self, *arguments: Any, heading: str, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.heading = heading


class GroupedCommand(click.Command):
    """A command whose help lists its options under their headings, in the order in which they were given."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options; those without a heading come last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                heading = parameter.heading if isinstance(parameter, GroupedOption) else ""
                sections.setdefault(heading, []).append(record)
        rest = sections.pop("", [])
        for heading, records in [*sections.items(), *([("Options", rest)] if rest else [])]:
            with formatter.section(heading):
                formatter.write_dl(records)


def under(heading: str) -> Callable[..., Any]:
    """What takes the place of `click.option` for the options of one heading."""
    return partial(click.option, cls=GroupedOption, heading=heading)
