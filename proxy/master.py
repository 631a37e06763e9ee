"""What our Master is made of: mitmproxy's addons as far as they are needed, and the options that recording wants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from mitmproxy import certs, http, options
from mitmproxy.addons import next_layer, tlsconfig
from mitmproxy.addons import proxyserver as proxyserver_addon
from mitmproxy.master import Master
from mitmproxy.proxy import server

from .hooks import QuickMaster
from .timeouts import Timeouts

REVERSE: Final = "reverse:http://unrouted.invalid:80"
"""The mode of a reverse listener; its own target is where a request goes that nobody routed."""
FORWARD: Final = "regular"
"""The mode of a forward listener."""


class QuietTlsConfig(tlsconfig.TlsConfig):
    """Verifies the upstream's certificate, and makes no certificate authority in the user's home."""

    name = "tlsconfig"

    def running(self) -> None:
        """Do not read or make the files of an authority."""

    def request(self, flow: http.HTTPFlow) -> None:
        """Do not answer for the authority's revocation list (mitmproxy 12 does)."""


class SigningTlsConfig(QuietTlsConfig):
    """Speaks TLS to clients too, with certificates that an authority of ours signs."""

    name = "tlsconfig"

    def __init__(self, authority: certs.CertStore) -> None:
        self.certstore = authority


def make_master(
    address: tuple[str, int],
    ours: Iterable[object],
    *,
    authority: certs.CertStore | None,
    timeouts: Timeouts,
    trust: Mapping[str, Any],
) -> Master:
    """A Master with one listener.

    Args:
        address: host and port to listen on.
        ours: our addons, in their order.
        authority: signs what a forward proxy shows to its clients; None for a reverse proxy.
        timeouts: how long clients wait.
        trust: options that name the authorities to trust.
    """
    opts = options.Options(listen_host=address[0], listen_port=address[1])
    master = QuickMaster(opts)
    tls = SigningTlsConfig(authority) if authority else QuietTlsConfig()
    # Ours stand before the others: they skip work that is already done.
    master.addons.add(*ours, proxyserver_addon.Proxyserver(), next_layer.NextLayer(), tls)
    opts.update(
        mode=[FORWARD if authority else REVERSE],
        connection_strategy="lazy",  # eager connects before it has read a request, and its failure has no hook
        keep_host_header=True,
        rawtcp=False,
        http2=False,
        **trust,
    )
    set_patience(opts, timeouts)
    return master


def set_patience(opts: options.Options, timeouts: Timeouts) -> None:
    """Keep mitmproxy from closing a client that waits: 600 seconds by itself, and without a word to it."""
    patience = int(timeouts.longest * 2) + 60
    if "tcp_timeout" in opts:
        opts.update(tcp_timeout=patience)
    else:
        server.TCP_TIMEOUT = patience
