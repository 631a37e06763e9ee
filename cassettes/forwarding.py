"""The variables that make clients go through a forward proxy of ours and trust its authority, whatever their runtime."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

_HOSTS: Final = (
    "generativelanguage.googleapis.com",
    "cloudcode-pa.googleapis.com",
    "aiplatform.googleapis.com",
    "aiplatform.eu.rep.googleapis.com",
    "aiplatform.us.rep.googleapis.com",
)
_REGIONAL: Final = "-aiplatform.googleapis.com"
_PORT: Final = re.compile(r":[0-9]+\Z")


def forward_variables(
    proxy_url: str, environ: Mapping[str, str], *, certificate: Path, bundle: Path, java_store: Path
) -> dict[str, str]:
    """The variables to add to a client's environment. Plain http goes its own way: no Gemini API is reached by it.

    Args:
        proxy_url: where the forward proxy listens.
        environ: the environment as it is.
        certificate: our authority, as PEM.
        bundle: our authority and the usual roots, as PEM.
        java_store: the same as a trust store of Java.
    """
    added = {name: proxy_url.rstrip("/") for name in ("HTTPS_PROXY", "https_proxy")}
    added |= {name: _thinned(environ[name]) for name in ("NO_PROXY", "no_proxy") if environ.get(name)}
    # Python and Go read the first, requests the second, curl the third.
    added |= dict.fromkeys(("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"), str(bundle))
    added["NODE_EXTRA_CA_CERTS"] = str(bundle if environ.get("NODE_EXTRA_CA_CERTS") else certificate)
    added["NODE_USE_ENV_PROXY"] = "1"
    added["JAVA_TOOL_OPTIONS"] = " ".join(
        filter(None, [environ.get("JAVA_TOOL_OPTIONS"), *java_options(proxy_url, java_store)])
    )
    return added


def java_options(proxy_url: str, java_store: Path) -> list[str]:
    """Options for a Java virtual machine, quoted as `JAVA_TOOL_OPTIONS` wants them."""
    proxy = urlsplit(proxy_url)
    properties = {
        "https.proxyHost": proxy.hostname,
        "https.proxyPort": proxy.port,
        "javax.net.ssl.trustStore": java_store,
        "javax.net.ssl.trustStoreType": "JKS",
    }
    options = [f"-D{name}={value}" for name, value in properties.items()]
    return [f"'{option}'" if " " in option else option for option in options]


def excepts(no_proxy: str, host: str, port: int = 443) -> bool:
    """Whether a `NO_PROXY` has requests to a host go past every proxy: by its name, one it ends in, or its network."""
    return any(_covers(item.strip().lower(), host.lower(), port) for item in no_proxy.split(","))


def _thinned(no_proxy: str) -> str:
    """A `NO_PROXY` without the entries that would have requests to the Gemini API pass us by, unrecorded."""
    items = [item.strip() for item in no_proxy.split(",") if item.strip()]
    return ",".join(
        item for item in items if not any(excepts(item, host) for host in _HOSTS) and not _regional(item)
    )


def _regional(item: str) -> bool:
    return _PORT.sub("", item.lower()).endswith(_REGIONAL)


def _covers(item: str, host: str, port: int) -> bool:
    if item in ("", "*"):
        return item == "*"
    if (given := _PORT.search(item)) and item.count(":") == 1:
        if int(given[0][1:]) != port:
            return False
        item = item[: given.start()]
    name = item.lstrip("*").lstrip(".")
    return f".{host}".endswith(f".{name}") or _is_in_network(host, item)


def _is_in_network(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network.strip("[]"), strict=False)
    except ValueError:
        return False
