"""`gemtape addon`: the file that stock mitmproxy loads."""

from __future__ import annotations

from pathlib import Path

import click

from .. import proxy


@click.command()
def command() -> None:
    """Print the file that stock mitmproxy loads.

    \b
    mitmdump --mode reverse:https://generativelanguage.googleapis.com \\
      -s "$(gemtape addon)" --set gemtape=run.db

    gemtape has to be installed beside that mitmproxy, in the same environment. A name that ends in a slash is a folder of
    cassettes. --set gemtape_existing=refuse|replace|append|new and --set gemtape_only_success=true are --mode and
    --only-success of `gemtape record`.
    """  # noqa: D301 - click looks for the character itself
    click.echo(Path(proxy.__file__).with_name("addon_file.py"))
