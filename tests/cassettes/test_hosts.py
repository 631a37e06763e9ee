"""A Host header that names somebody else's site is told from one that names this listener."""

from __future__ import annotations

import socket

import pytest

from gemtape.cassettes.hosts import host_allowed, host_refusal, is_loopback, leads_to


@pytest.mark.parametrize(
    ("authority", "bound", "allowed"),
    [
        ("127.0.0.1:8090", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("localhost:1", "127.0.0.1", True),
        ("LOCALHOST:8090", "127.0.0.1", True),
        ("[::1]:8090", "127.0.0.1", True),
        ("[::1]", "::1", True),
        ("evil.example:8090", "127.0.0.1", False),
        ("localhost.evil.example", "127.0.0.1", False),
        ("127.0.0.1.evil.example", "127.0.0.1", False),
        ("192.168.1.2:8090", "127.0.0.1", False),
        ("build-host:8090", "build-host", True),
        ("build-host:8090", "127.0.0.1", False),
        ("192.168.1.2:8090", "0.0.0.0", True),
        ("[fe80::1]:8090", "::", True),
        ("gemini:8090", "0.0.0.0", True),
        ("my_service", "", True),
        ("host.docker.internal:8090", "0.0.0.0", True),
        ("host.docker.internal:8090", "127.0.0.1", False),
        ("evil.example", "0.0.0.0", False),
        ("evil.example.", "0.0.0.0", False),
        ("evil.", "0.0.0.0", False),
        ("-", "0.0.0.0", False),
        ("a b", "0.0.0.0", False),
        ("localhost:8090:8090", "127.0.0.1", False),
        ("user@localhost", "127.0.0.1", False),
        ("localhost, evil.example", "127.0.0.1", False),
        ("[::1", "127.0.0.1", False),
        ("", "127.0.0.1", False),
        ("x" * 64, "0.0.0.0", False),
    ],
)
def test_host_header(authority: str, bound: str, allowed: bool):
    assert host_allowed(authority, bound) is allowed


def test_the_name_of_this_machine_is_known():
    assert host_allowed(f"{socket.gethostname()}:8090", "0.0.0.0")


def test_refusal_quotes_the_header_within_bounds():
    words = host_refusal("evil\x1b.example" + "x" * 1000, "proxy")

    assert words.isprintable()
    assert "evil" in words
    assert len(words) < 250


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("localhost", True),
        ("Api.Localhost", True),
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost.", True),
        ("127.1", True),
        ("0x7f.1", True),
        ("2130706433", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.1", False),
        ("10.1", False),
        ("::ffff:10.0.0.1", False),
        ("0x7f.1.2.3.4", False),
        ("127.0.0.1 x", False),
        ("localhost.test", False),
        ("", False),
    ],
)
def test_loopback_is_told_by_name_and_address(host: str, loopback: bool):
    assert is_loopback(host) is loopback


@pytest.mark.parametrize(
    ("bound", "host", "port", "leads"),
    [
        ("127.0.0.1", "localhost", 8090, True),
        ("127.0.0.1", "localhost", 8091, False),
        ("127.0.0.1", socket.gethostname().upper(), 8090, True),
        ("Proxy.test", "proxy.test", 8090, True),
        ("127.0.0.1", "0.0.0.0", 8090, True),
        ("127.0.0.1", "other.test", 8090, False),
        ("127.0.0.1", "0", 8090, True),
        ("127.0.0.1", "127.1", 8090, True),
        ("127.0.0.1", "::ffff:127.0.0.1", 8090, True),
        ("127.0.0.1", "localhost.", 8090, True),
        ("127.0.0.1", "192.0.2.1", 8090, False),
        ("0.0.0.0", "192.0.2.1", 8090, False),
        ("0.0.0.0", "2001:db8::1", 8090, False),
        ("", "other.test", 8090, False),
    ],
)
def test_address_of_a_listener_is_known_by_any_of_its_names(bound: str, host: str, port: int, leads: bool):
    assert leads_to((bound, 8090), host, port) is leads


def test_a_listener_on_all_interfaces_is_reached_by_each_of_their_addresses():
    """The address is that of the interface which leads to a network; nothing is sent there."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no network")
        address = way.getsockname()[0]

    assert leads_to(("0.0.0.0", 8090), address, 8090)
    assert not leads_to(("127.0.0.1", 8090), address, 8090)
