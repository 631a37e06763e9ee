"""`gemtape ca` prints a path that a program can use, and beside it what a person has to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WITHOUT_MITMPROXY = (
    "import sys; sys.modules['mitmproxy'] = None; sys.argv = ['gemtape', 'ca'];"
    "import importlib.util as util; there = util.find_spec;"
    "util.find_spec = lambda name, *more: None if name == 'mitmproxy' else there(name, *more);"
    "from gemtape.cli.main import main; main()"
)


def ca(data: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", *(command or ("-m", "gemtape.cli", "ca"))],
        env={"PATH": os.environ["PATH"], "XDG_DATA_HOME": str(data)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_made_when_missing_and_the_same_from_then_on(tmp_path):
    first, second = ca(tmp_path / "my data"), ca(tmp_path / "my data")

    path = Path(first.stdout.rstrip("\n"))
    assert (first.returncode, second.returncode) == (0, 0)
    assert path.read_text().startswith("-----BEGIN CERTIFICATE-----")
    assert path.is_relative_to(tmp_path)
    assert (first.stdout, first.stderr) == (second.stdout, second.stderr)


def test_says_what_each_runtime_needs_with_files_that_are_there(tmp_path):
    said = ca(tmp_path / "my data")

    folder = tmp_path / "my data" / "gemtape" / "ca"
    for name in ("gemtape-ca-cert.pem", "trust.pem", "trust.jks"):
        assert (folder / name).is_file()
        assert f"={folder / name}'" in said.stderr or f"'{folder / name}'" in said.stderr, (
            "quoted for a shell"
        )
    assert "gemtape-ca.pem" not in said.stderr, "the private key is nobody's business"
    for runtime in ("Python", "Node", "Go", "Java", "curl", "Debian", "macOS", "Windows"):
        assert f"\n  {runtime} " in said.stderr
    assert "Node 20 takes no proxy from its environment" in said.stderr


def test_works_without_mitmproxy_once_it_is_made(tmp_path):
    refused = ca(tmp_path, "-c", WITHOUT_MITMPROXY)
    made = ca(tmp_path)
    found = ca(tmp_path, "-c", WITHOUT_MITMPROXY)

    assert refused.returncode == 2
    assert refused.stderr == (
        "gemtape: making a certificate authority needs mitmproxy: pipx install 'gemtape[proxy]'\n"
    )
    assert found.stdout == made.stdout
