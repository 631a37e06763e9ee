"""The demo's proxy process."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from gemtape.cassettes.errors import SetupError
from gemtape.cassettes.store import Cassette
from gemtape.cli.demo import recording as module
from gemtape.cli.demo.recording import recording, require_proxy
from tests.upstream import Upstream


def test_what_passes_is_in_the_cassette_when_the_block_ends(tmp_path: Path):
    with Upstream() as upstream, recording(tmp_path / "run.db", upstream=upstream.url) as url:
        httpx.get(f"{url}/v1beta/models", trust_env=False)

    with Cassette.read(tmp_path / "run.db") as cassette:
        assert [entry.path for entry in cassette.entries()] == ["/v1beta/models"]


def test_a_proxy_that_does_not_start_says_why(tmp_path: Path):
    (tmp_path / "run.db").write_text("not a cassette")

    with pytest.raises(SetupError, match="is not a cassette"), recording(tmp_path / "run.db"):
        pass


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "find_spec", lambda _: None)

    with pytest.raises(SetupError, match=r"pipx install 'gemtape\[proxy\]'"):
        require_proxy()


def test_with_the_extra_there_is_nothing_to_say():
    require_proxy()
