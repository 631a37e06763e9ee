"""The page docs/clients.md, made of the table of clients, the results that are kept, and what else is known of clients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.e2e.clients import CLIENTS
from tests.e2e.results import COUNTS, Results, kept_results
from tests.e2e.table import Client
from tests.e2e.traps import FLOWS, READ, TRAPS

_INTRO = """\
# Clients

How each client is told where gemtape listens. The line is the same for `gemtape record` and `gemtape replay`; 8090 is the port
of both. With a folder of cassettes, the path of one comes behind the port, before `/v1beta` where the line has it:
`http://127.0.0.1:8090/refunds/happy`. [Beside a command](recording.md#beside-a-command) the variables are set for it."""

_RECORDED = """\
## Recorded and replayed

Every client of this table was recorded in these flows from a server that answers and refuses as the API does, and replayed to
the same result with that server stopped and without a key. No key was found in the cassettes. Violations are what
`gemtape report` says, above info, about the requests of the client."""

_NEW = """\
## Played and recorded in one run

Through [`--mode new`](new-conversations.md) went
{clients}.
The recorded conversation was played and nothing of it was sent; the same one about another city was sent from its first
request to its last, and added; then both were replayed offline. Where a function gave another result in the middle of the
recorded one, the client showed the 412 that says so, and did not ask again. google-genai 3.x did the same in pytest, with
`--gemtape=new`."""

_READ_ONLY = "¹ Read in the source of the client, not run."
_LANGUAGES = {"python": " (Python)", "node": " (Node)", "shell": ""}


def page() -> str:
    """The whole page, as Markdown."""
    results = kept_results()
    blocks = [
        _INTRO,
        _table(("client", "base URL", "to know"), _base_urls()),
        _READ_ONLY,
        _RECORDED,
        _table(("client", "version", "flows", "exchanges recorded", *COUNTS[1:]), _runs(results)),
        f"These are the newest versions that Python {_minor(results['python'])} and Node {_major(results['node'])} take.",
        _table(("flow", "what it is"), FLOWS.items()),
    ]
    new = (f"{client.name} ({', '.join(client.new)})" for client in CLIENTS if client.new)
    blocks.append(_NEW.format(clients=", ".join(new)))
    if limits := list(_limits()):
        blocks += ["## Known limits", _table(("client", "flows", "what it does"), limits)]
    return "\n\n".join([*blocks, "## Traps", TRAPS])


def _base_urls() -> Iterator[tuple[str, ...]]:
    families: dict[tuple[str, str], list[str]] = {}
    for client in CLIENTS:
        notes = families.setdefault((_family(client), client.base_url), [])
        if client.note and client.note not in notes:
            notes.append(client.note)
    for (name, line), notes in families.items():
        yield name, f"`{line}`", " ".join(notes)
    for client in READ:
        yield f"{client.name} ¹", f"`{client.base_url}`", client.note


def _family(client: Client) -> str:
    """What a user calls it, whatever the version and the way of using it."""
    return client.name.split()[0] + _LANGUAGES[client.language]


def _runs(results: Results) -> Iterator[tuple[str, ...]]:
    for client in CLIENTS:
        if found := results["clients"].get(client.name):
            flows = found["flows"]
            sums = (str(sum(flow[name] for flow in flows.values())) for name in COUNTS)
            yield client.name, found["version"], ", ".join(flows), *sums


def _limits() -> Iterator[tuple[str, ...]]:
    flows: dict[tuple[str, str], list[str]] = {}
    for client in CLIENTS:
        for flow, limit in client.limits.items():
            flows.setdefault((client.name, limit.sentence), []).append(flow)
    names: dict[tuple[str, str], list[str]] = {}
    for (name, sentence), limited in flows.items():
        names.setdefault((", ".join(limited), sentence), []).append(name)
    for (limited, sentence), having in names.items():
        yield ", ".join(having), limited, sentence


def _table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    columns = list(heads)
    cells = [columns, ["---"] * len(columns), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return (
        "\n".join(f"| {' | '.join(row)} |" for row in cells)
        .replace("| --- ", "|---")
        .replace("--- |", "---|")
    )


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _major(version: str) -> str:
    return version.partition(".")[0]
