"""`gemtape record` as a process of its own, for tests that are to be recorded: wherever the extra is installed.

mitmproxy pins its dependencies so tightly that it seldom lives in the environment of the code under test, so nothing of
it is imported here.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from ..cassettes.errors import SetupError
from ..cassettes.naming import cassette_path

_STARTING_S: Final = 180
"""How long it may take to listen: `pipx run` installs it first."""
_STOPPING_S: Final = 20
_LOOKED_EVERY_S: Final = 0.05
_READY: Final = re.compile(r"^base URL for clients: (\S+)/NAME$", re.MULTILINE)
_LINES: Final = 5
"""Last lines of what it said that an error shows."""


class Recorder:
    """A running recorder with a folder of its own, which is gone when it is stopped."""

    def __init__(
        self,
        command: str = "",
        upstream: str = "",
        environ: Mapping[str, str] = os.environ,
        *,
        more: Sequence[str] = (),
        cwd: Path | None = None,
    ) -> None:
        """Start it, and wait until requests can come.

        Args:
            command: how `gemtape` is called where it can record; found out by default.
            upstream: where requests are sent instead of to Google.
            environ: its environment.
            more: further options of `gemtape record`.
            cwd: its working directory, where it looks for the configuration; that of this process by default.

        Raises:
            SetupError: there is no gemtape that can record, or it did not start.
        """
        words = shlex.split(command, posix=os.name != "nt") if command else recording_command(environ)
        self._folder = tempfile.TemporaryDirectory(prefix="gemtape-")
        self._said = Path(self._folder.name) / "said.txt"
        arguments = ["record", f"{self._tapes}{os.sep}", "--port", "0"]
        arguments += [*(["--upstream", upstream] if upstream else []), *more]
        self._process: subprocess.Popen[bytes] | None = None
        try:
            with self._said.open("wb") as said:
                self._process = subprocess.Popen(  # noqa: S603 - what the user asked for
                    [_found(words[0], environ), *words[1:], *arguments],
                    cwd=cwd,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    env=dict(environ),
                )
            self.url: Final = self._listening(self._process)
        except OSError as error:
            self._folder.cleanup()
            raise SetupError(f"cannot run {words[0]}: {error.strerror}") from error
        except BaseException:
            self.stop()
            raise

    def cassette(self, name: str) -> Path:
        """Where the requests under ``<url>/<name>`` are recorded; there is no file before the first one."""
        return cassette_path(self._tapes, name)

    def end(self) -> None:
        """Let it finish: its cassettes are complete then. Ending twice is harmless."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOPPING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """End it, and remove its cassettes."""
        self.end()
        self._folder.cleanup()

    @property
    def _tapes(self) -> Path:
        return Path(self._folder.name) / "tapes"

    def _listening(self, process: subprocess.Popen[bytes]) -> str:
        deadline = time.monotonic() + _STARTING_S
        while time.monotonic() < deadline:
            ended = process.poll() is not None
            said = self._said.read_text(encoding="utf-8", errors="replace")
            if ready := _READY.search(said):
                return ready.group(1)
            if ended:
                last = " / ".join(said.split("\n")[-_LINES:]).strip(" /") or f"exit code {process.returncode}"
                raise SetupError(f"the recorder did not start: {last}")
            time.sleep(_LOOKED_EVERY_S)
        raise SetupError(f"the recorder did not listen within {_STARTING_S} s")


def _found(program: str, environ: Mapping[str, str]) -> str:
    """The program that a command names, wherever it is run from."""
    found = shutil.which(program, path=environ.get("PATH")) or program
    return str(Path(found).absolute()) if os.sep in found else found


def recording_command(environ: Mapping[str, str]) -> list[str]:
    """How `gemtape` is called where it can record: here, or else as another one on the path.

    Raises:
        SetupError: there is none.
    """
    if find_spec("mitmproxy") is not None:
        return [sys.executable, "-m", "gemtape.cli"]
    ours = Path(sys.executable).parent
    folders = environ.get("PATH", "").split(os.pathsep)
    elsewhere = os.pathsep.join(folder for folder in folders if folder and Path(folder) != ours)
    found = shutil.which("gemtape", path=elsewhere) if elsewhere else None
    if found is None:
        raise SetupError(
            "recording needs mitmproxy, which is not in this environment: pipx install 'gemtape[proxy]', or name a gemtape "
            "that has it, such as --gemtape-recorder \"pipx run --spec 'gemtape[proxy]' gemtape\""
        )
    return [found]
