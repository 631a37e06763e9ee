"""`gemtape replay`: answers from a cassette, or a folder of them, until it is told to stop."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

import click

from ..cassettes.naming import SUFFIX
from .beside import COMMAND, OPENAI, BesideCommand, check_beside
from .grouped import under
from .listening import listening_options, port_of
from .playing import playing, playing_options

_CHECKED_EVERY_S: Final = 1.0
"""How often to look whether the server still runs, when nothing else happens."""
_GATHERED_S: Final = 0.02
"""How long lines may wait for others, so that printing does not slow down a server under load."""


_where = under("Where it listens")
_answers = under("Which answer a request gets")
_command = under("Beside a COMMAND")
_end = under("At the end")


@click.command(cls=BesideCommand)
@click.argument("target", metavar="CASSETTE|FOLDER")
@COMMAND
@listening_options(_where)
@_answers(
    "--repeat",
    type=click.Choice(["last", "cycle", "once"]),
    help="What equal requests get once all recorded answers were served: the last again (the default), all again, or a miss.",
)
@_answers(
    "--lenient/--strict",
    default=None,
    help="Whether to serve what was recorded for a request that the API would refuse; strict by default.",
)
@playing_options
@_command("--openai", is_flag=True, help=OPENAI)
@_end(
    "--fail-on",
    type=click.Choice(["error", "warning", "never"]),
    default="error",
    show_default=True,
    help="Exit with 1 after a miss; beside a COMMAND also after a violation of this severity or worse.",
)
@click.pass_context
def command(
    context: click.Context,
    *,
    target: str,
    beside: tuple[str, ...],
    port: int | None,
    host: str,
    repeat: str | None,
    lenient: bool | None,
    fail_on: str,
    openai: bool,
    **how: Any,
) -> None:
    """Answer from a cassette, with no key and no network.

    Point a client's base URL at the printed address and run it. With a FOLDER (it exists, or ends in a slash) the path
    in front of the API's selects the cassette: http://127.0.0.1:8090/refunds/happy plays refunds/happy.db. A base URL
    that ends in /@NAME is a session of its own, with every recorded answer before it.

    A request that was not recorded gets an error that says which recorded one is nearest and what differs; one that the
    API is known to refuse gets the API's error. Ctrl-C ends the replay; the exit code is 1 if there were such requests.

    With -- COMMAND the replay runs beside the command, which finds it by variables such as GOOGLE_GEMINI_BASE_URL, and
    ends with it. With a FOLDER the tests add /NAME to the base URL themselves. Its requests are checked as those of a
    recording are. The exit code is the command's if that is not 0, else 1 if there were misses or errors, even where its
    code hid them.

    \b
    gemtape replay run.db -- npm test
    """  # noqa: D301 - click looks for the character itself
    check_beside(beside, openai=openai, name="replay")

    # Imported here so that `gemtape replay --help` does not wait for an HTTP server.
    from ..cassettes.lookup import Repeat  # noqa: PLC0415
    from ..checks.config import load_config  # noqa: PLC0415
    from ..replay.answering import Verdict  # noqa: PLC0415
    from ..replay.configured import configured  # noqa: PLC0415
    from ..replay.lines import request_line, summary  # noqa: PLC0415
    from ..replay.server import serve  # noqa: PLC0415
    from ..replay.watch import FAIL_ON  # noqa: PLC0415

    options = playing(
        configured(load_config(), repeat=Repeat(repeat) if repeat else None, lenient=lenient), **how
    )
    threshold = FAIL_ON[fail_on]
    if _holds_nothing(Path(target)):
        say(f"warning: {target} holds no cassettes, so every request is a miss")
    if beside:
        from .replaying import play_beside  # noqa: PLC0415

        code, lines = play_beside(
            beside, target, options, host=host, port=port_of(port, beside), threshold=threshold, openai=openai
        )
        say(*lines)
        context.exit(code)
    waiting: SimpleQueue[tuple[Any, Any] | None] = SimpleQueue()
    server = serve(
        target,
        host=host,
        port=port_of(port, beside),
        options=options,
        heard=lambda asked, reply: waiting.put((asked, reply)),
    )
    with ending(waiting), server:
        name = "/NAME" if server.deck.folder else ""
        say(f"gemtape plays {target}{', one cassette a NAME,' if name else ''} on {server.url}")
        say(f"base URL for clients: {server.url}{name}")
        ended = False
        while not ended and server.running:
            items = list(taken(waiting, _CHECKED_EVERY_S))
            ended = None in items
            say(*(request_line(*item) for item in items if item))
    say(*(request_line(*item) for item in taken(waiting, 0) if item))
    say(*summary(server.deck.tallies(), server.deck.lost))
    verdicts = server.deck.verdicts()
    failed = verdicts[Verdict.MISS] or verdicts[Verdict.REJECTED]
    context.exit(1 if failed and threshold else 0)


def _holds_nothing(target: Path) -> bool:
    return target.is_dir() and not any(target.rglob(f"*{SUFFIX}"))


def taken(waiting: SimpleQueue[Any], patience_s: float) -> Iterator[Any]:
    """All that waits to be shown, after waiting for some seconds at most for there to be something."""
    with suppress(Empty):
        first = waiting.get(timeout=patience_s)
        yield first
        if first is not None:
            time.sleep(_GATHERED_S)
        while True:
            yield waiting.get_nowait()


@contextmanager
def ending(waiting: SimpleQueue[Any]) -> Iterator[None]:
    """Let SIGINT and SIGTERM put an end (None) into the queue, and be what they were afterwards.

    Of all that wakes a thread, only this queue may be used in a signal handler.
    """
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: waiting.put(None)) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def say(*lines: str) -> None:
    """Show lines at once; standard output stays free for what a command is asked for."""
    if lines:
        click.echo("\n".join(lines), err=True)
