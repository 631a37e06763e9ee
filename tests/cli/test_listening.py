"""Where a door listens, as the command line says it."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from gemtape.cli.grouped import GroupedCommand, under
from gemtape.cli.listening import listening_options, port_of


@click.command(cls=GroupedCommand)
@listening_options(under("Where it listens"))
def command(port: int | None, host: str) -> None:
    click.echo(f"{host} {port}")


@pytest.mark.parametrize(
    ("arguments", "listens"),
    [
        ([], "127.0.0.1 None"),
        (["--port", "0"], "127.0.0.1 0"),
        (["--port", "65535", "--host", "::1"], "::1 65535"),
    ],
)
def test_port_and_host(arguments: list[str], listens: str):
    assert CliRunner().invoke(command, arguments).output == f"{listens}\n"


@pytest.mark.parametrize("port", ["65536", "-1", "http"])
def test_what_is_no_port_is_refused(port: str):
    assert CliRunner().invoke(command, ["--port", port]).exit_code == 2


def test_help_stands_under_the_given_heading():
    said = CliRunner().invoke(command, ["--help"]).output

    assert "Where it listens:\n  --port PORT     8090 by default" in said


@pytest.mark.parametrize(
    ("given", "beside", "port"), [(None, (), 8090), (None, ("npm",), 0), (0, (), 0), (7000, ("npm",), 7000)]
)
def test_port_that_nobody_chose_is_free_beside_a_command(
    given: int | None, beside: tuple[str, ...], port: int
):
    assert port_of(given, beside) == port
