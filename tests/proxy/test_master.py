"""The Master: one listener, no more addons than are needed, options that recording wants."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gemtape.proxy.authority import find_authority
from gemtape.proxy.master import QuietTlsConfig, SigningTlsConfig, make_master
from gemtape.proxy.timeouts import Timeouts


@pytest.mark.parametrize("forward", [False, True])
def test_listener_of_either_kind(tmp_path: Path, monkeypatch, forward):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    authority = find_authority({"XDG_DATA_HOME": str(tmp_path)}).load() if forward else None

    async def make():
        return make_master(
            ("127.0.0.1", 8123),
            [],
            authority=authority,
            timeouts=Timeouts(connect=1, first_byte=300, idle=2),
            trust={"ssl_verify_upstream_trusted_ca": "/ca.pem"},
        )

    made = asyncio.run(make())
    opts, tls = made.options, made.addons.get("tlsconfig")

    assert (opts.listen_host, opts.listen_port) == ("127.0.0.1", 8123)
    assert opts.mode == (["regular"] if forward else ["reverse:http://unrouted.invalid:80"])
    assert (opts.connection_strategy, opts.http2, opts.rawtcp) == ("lazy", False, False)
    assert opts.ssl_verify_upstream_trusted_ca == "/ca.pem"
    assert type(tls) is (SigningTlsConfig if forward else QuietTlsConfig)
    assert tls.certstore is authority
    assert list(home.iterdir()) == [], "mitmproxy would make an authority of its own there"
