"""`gemtape ca`: the certificate that clients of a forward proxy have to trust, and how each of them is made to."""

from __future__ import annotations

import os
from shlex import quote

import click

from ..cassettes.forwarding import java_options


@click.command()
def command() -> None:
    """Print the certificate of --forward, and how to trust it.

    It is what `gemtape record --forward` signs with; it is made on first use, for this user alone, and can vouch for
    names below googleapis.com only. The path goes to standard output, all else to standard error:

    \b
    curl --proxy http://127.0.0.1:8090 --cacert "$(gemtape ca)" \\
      https://generativelanguage.googleapis.com/v1beta/models
    """  # noqa: D301 - click looks for the character itself
    from ..proxy.authority import find_authority  # noqa: PLC0415 - `gemtape --help` needs neither
    from ..proxy.trust import trust_files  # noqa: PLC0415

    trust = trust_files(find_authority(os.environ), os.environ)
    click.echo(trust.certificate)
    certificate, bundle = quote(str(trust.certificate)), quote(str(trust.bundle))
    proxy = "http://127.0.0.1:8090"
    click.echo(
        f"""
`gemtape record run.db --forward -- COMMAND` sets for COMMAND what it needs. By hand, for `gemtape record run.db --forward`:

  all      HTTPS_PROXY={proxy}
  Python   SSL_CERT_FILE={bundle}
           for requests REQUESTS_CA_BUNDLE, the same
  Node     NODE_USE_ENV_PROXY=1 NODE_EXTRA_CA_CERTS={certificate}
           from Node 22.21 and 24.5 on; Node 20 takes no proxy from its environment and goes past it
  Go       SSL_CERT_FILE as for Python; on macOS and Windows it reads the system's store alone
  Java     JAVA_TOOL_OPTIONS="{" ".join(java_options(proxy, trust.java))}"
  curl     curl --proxy {proxy} --cacert {certificate}

The system's store, for whatever reads nothing else:

  Debian   sudo cp {certificate} /usr/local/share/ca-certificates/gemtape.crt && sudo update-ca-certificates
  Fedora   sudo trust anchor {certificate}
  macOS    security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db {certificate}
  Windows  certutil -user -addstore Root {certificate}""",
        err=True,
    )
