"""`gemtape addon`: the file that stock mitmproxy loads."""

from __future__ import annotations

from pathlib import Path

import click

from .. import proxy


@click.command()
def command() -> None:
    """Print the file that stock mitmproxy loads.

    mitmdump --mode reverse:https://generativelanguage.googleapis.com -s "$(gemtape addon)" --set gemtape=run.db

    gemtape has to be installed beside that mitmproxy, in the same environment.
    """
    click.echo(Path(proxy.__file__).with_name("addon_file.py"))
