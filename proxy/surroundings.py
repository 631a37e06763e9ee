"""What the proxy takes from the process it runs in: certificate authorities to trust, and file descriptors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..cassettes.errors import SetupError

_FILES: Final = 8192
"""File descriptors to ask for; a client takes two, and some systems begin with 256."""


def trusted_authorities(environ: Mapping[str, str]) -> dict[str, str]:
    """The mitmproxy options that make it trust what the user's environment trusts; by itself it reads no variable.

    Raises:
        SetupError: a variable names what is not there; mitmproxy would say so at the first request only.
    """
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR"):
        value = environ.get(name, "")
        if name == "SSL_CERT_DIR":  # a list, of which mitmproxy takes one
            value = next(filter(os.path.isdir, value.split(os.pathsep)), value)
        if value and not Path(value).exists():
            raise SetupError(f"{name} names {value}, which does not exist")
        if value:
            kind = "trusted_confdir" if Path(value).is_dir() else "trusted_ca"
            return {f"ssl_verify_upstream_{kind}": value}
    return {}


def raise_file_limit() -> None:
    """Ask for enough file descriptors to serve many clients at once, as far as the system lets a process."""
    try:
        import resource  # noqa: PLC0415 - not there on Windows
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
