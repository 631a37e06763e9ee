"""Which names a listener of ours answers to: the guard against web pages that bind a name of theirs to our address."""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import Final, TypeAlias

_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_WILDCARDS: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - recognised, not bound
_AUTHORITY: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]]+))(?::[0-9]{1,5})?\Z")
_LABEL: Final = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\Z")

_OLD_SPELLING: Final = re.compile(r"[0-9a-fA-FxX.]{1,64}\Z")

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


def host_allowed(authority: str, bound_host: str) -> bool:
    """Whether a Host header names this listener; any other name may be a web page's, bound to our address (DNS rebinding).

    An address as such cannot be rebound, and a name without a dot belongs to nobody outside this network, so a listener
    on all interfaces accepts every address, the names of services in a container network, and those of this machine and
    of a container's host.

    Args:
        authority: the Host header, with or without a port.
        bound_host: the address or name that the listener was told to use; empty for all interfaces.
    """
    match = _AUTHORITY.match(authority)
    if not match:
        return False
    host = (match.group(1) or match.group(2)).lower()
    if host in _LOOPBACK_NAMES or host == bound_host.lower():
        return True
    if bound_host not in _WILDCARDS:
        return False
    return (
        _is_address(host)
        or _LABEL.match(host) is not None
        or host in ("host.docker.internal", "host.containers.internal", socket.gethostname().lower())
    )


def host_refusal(authority: str, listener: str) -> str:
    """What is said to a request whose Host header names something else; `listener` is what refuses it."""
    return (
        f"the Host header names {authority[:60]!a}, which is not where this {listener} listens; to be reached by that "
        "name, start it with --host and the name"
    )


def is_loopback(host: str) -> bool:
    """Whether a name or address means the machine that it is said on, in any spelling that resolvers take."""
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    address = _address(name)
    return address is not None and address.is_loopback


def leads_to(bound: tuple[str, int], host: str, port: int) -> bool:
    """Whether an address is that of a listener, as far as its name tells.

    Args:
        bound: the address or name that the listener was told to use, empty for all interfaces, and its port.
        host: a name or address.
        port: its port.
    """
    if port != bound[1]:
        return False
    address = _address(host)
    if address is not None and (address.is_unspecified or (bound[0] in _WILDCARDS and _is_here(address))):
        return True
    names = _WILDCARDS | {bound[0].lower(), socket.gethostname().lower()}
    return is_loopback(host) or host.lower().removesuffix(".") in names


def _address(host: str) -> _Address | None:
    """The address that a text spells; also as resolvers still take it: ``127.1``, ``0x7f.1``, ``2130706433``."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        if not _OLD_SPELLING.match(host):
            return None
        try:
            address = ipaddress.IPv4Address(socket.inet_aton(host))
        except OSError:
            return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_here(address: _Address) -> bool:
    """Whether an address is one of this machine's: nothing can be bound to any other."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
