"""One client, one flow: recorded through the proxy, replayed without the upstream, reported on, searched for secrets."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gemtape.cassettes.environment import client_variables
from tests.e2e.table import Client
from tests.environments import node_environment, python_environment

HERE: Final = Path(__file__).parent
BIN: Final = Path(sys.executable).parent
KEY: Final = "AIza" + "SyE2e-0123456789_abcdefghijKLMNOPQR"
"""As long as a real one, so that it is known by its shape."""
_KEYS: Final = ("GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "OPENAI_API_KEY")
_QUIET: Final = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # it asks GitHub otherwise
    "LANG": "C.UTF-8",
    # Whatever goes past the door finds nobody, on a machine with and without network.
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "https_proxy": "http://127.0.0.1:9",
}
_TIMEOUT_S: Final = 180


@dataclass(frozen=True)
class Outcome:
    """What a program printed, and what was said on the way."""

    version: str
    result: Any
    said: str


def command_of(client: Client, outside: Mapping[str, str]) -> list[str | Path]:
    """The command of a client's program, in its environment, which is made if it is not there.

    Args:
        client: the client.
        outside: the environment variables of whoever runs the tests, for the installers.
    """
    source = HERE / "programs" / client.program
    name = f"e2e-{(client.environment or client.name).replace(' ', '-')}"
    match client.language:
        case "python":
            # -P: a program may be called as its client is.
            return [python_environment(name, outside, *client.packages), "-P", source]
        case "node":
            folder = node_environment(name, outside, *client.packages)
            # Node looks for packages beside the program.
            return ["node", shutil.copy(source, folder / source.name)]
        case _:
            return ["sh", source]


def record(command: list[str | Path], client: Client, flow: str, cassette: Path, upstream: str) -> Outcome:
    """Run the program beside `gemtape record`.

    Raises:
        AssertionError: it failed, or did not print what a program prints.
    """
    arguments = ["record", cassette, "--upstream", upstream]
    return _beside(arguments, command, client, flow, cassette.parent, **dict.fromkeys(_KEYS, KEY))


def replay(command: list[str | Path], client: Client, flow: str, cassette: Path) -> Outcome:
    """Run the program beside `gemtape replay`, without a key.

    Raises:
        AssertionError: as `record`.
    """
    return _beside(["replay", cassette, "--repeat", "once"], command, client, flow, cassette.parent)


def ask(
    command: list[str | Path], client: Client, flow: str, url: str, home: Path, **environ: str
) -> Outcome:
    """Run the program with a door that is open, and with a key.

    Raises:
        AssertionError: as `record`.
    """
    return _outcome(_asked(command, client, flow, url, home, environ, checked=True))


def failure(
    command: list[str | Path], client: Client, flow: str, url: str, home: Path, **environ: str
) -> str:
    """What a program says, run as by `ask`, that is told an error.

    Raises:
        AssertionError: it did not fail.
    """
    done = _asked(command, client, flow, url, home, environ, checked=False)
    assert done.returncode != 0, f"the program did not fail\n{done.stderr}\n{done.stdout}"
    return done.stderr


def report(cassette: Path) -> list[dict[str, Any]]:
    """The violations above info, as `gemtape report` tells them."""
    arguments = ["report", "--format", "json", "--fail-on", "never", cassette]
    done = _run([BIN / "gemtape", *arguments], _environ(cassette.parent), cassette.parent)
    return [item for item in json.loads(done.stdout)["violations"] if item["severity"] != "info"]


def _beside(
    arguments: list[str | Path], command: list[str | Path], client: Client, flow: str, home: Path, **keys: str
) -> Outcome:
    limit = client.limits.get(flow)
    options = [
        *(["--openai"] if client.book == "openai" else []),
        *(["--fail-on", "never"] if limit and limit.violations else []),
    ]
    whole = [BIN / "gemtape", *arguments, *options, "--", *command, flow, *client.arguments]
    return _outcome(_run(whole, _environ(home, **keys), home))


def _outcome(done: subprocess.CompletedProcess[str]) -> Outcome:
    printed = re.findall(r'^\{"version".*\}$', done.stdout, re.MULTILINE)
    assert printed, f"the program printed no result\n{done.stdout}\n{done.stderr}"
    value = json.loads(printed[-1])
    return Outcome(value["version"], value["result"], done.stderr)


def _asked(
    command: list[str | Path],
    client: Client,
    flow: str,
    url: str,
    home: Path,
    more: Mapping[str, str],
    *,
    checked: bool,
) -> subprocess.CompletedProcess[str]:
    plain = _environ(home, **dict.fromkeys(_KEYS, KEY))
    found = client_variables(url, plain, dummy_key=False, openai=client.book == "openai")
    return _run([*command, flow, *client.arguments], {**plain, **found, **more}, home, checked=checked)


def _environ(home: Path, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), **_QUIET, **more}


def _run(
    command: list[str | Path], environ: Mapping[str, str], cwd: Path, *, checked: bool = True
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, env=dict(environ), cwd=cwd, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
    )
    shown = " ".join(Path(part).name for part in map(str, command))
    assert done.returncode == 0 or not checked, (
        f"{shown}: exit code {done.returncode}\n{done.stderr}\n{done.stdout}"
    )
    return done
