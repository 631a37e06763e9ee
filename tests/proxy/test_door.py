"""A door: what it takes, where what it takes belongs, and where nothing may lead."""

from __future__ import annotations

import pytest
from mitmproxy.connection import Client, Server
from mitmproxy.http import HTTPFlow, Request
from mitmproxy.proxy.mode_specs import ProxyMode

from gemtape.cassettes.errors import SetupError
from gemtape.proxy.door import Door
from gemtape.proxy.errors import Refused
from gemtape.proxy.parents import Parents
from gemtape.proxy.routing import Router, parse_upstream

GENERATE = "/v1beta/models/m:generateContent"


def client(mode: str = "reverse:http://unrouted.invalid:80") -> Client:
    return Client(
        peername=("127.0.0.1", 1),
        sockname=("127.0.0.1", 8090),
        timestamp_start=0,
        proxy_mode=ProxyMode.parse(mode),
    )


def asking(path: str) -> HTTPFlow:
    flow = HTTPFlow(client(), Server(address=None))
    flow.request = Request.make("POST", f"http://localhost:8090{path}", headers={"host": "localhost:8090"})
    return flow


def test_prefix_and_upstream_of_a_request():
    place = Door(Router()).place(asking(f"/refunds/happy{GENERATE}?alt=sse"))

    assert place
    assert (place.prefix, place.api_path) == ("refunds/happy", GENERATE)
    assert str(place.upstream) == "https://generativelanguage.googleapis.com"
    assert place.origin == "http://localhost:8090"


def test_path_without_an_api_has_no_place():
    door = Door(Router())

    assert door.place(asking("/refunds")) is None
    assert door.unplaced(asking("/refunds").request).status == 404


def test_what_no_upstream_serves_is_refused():
    with pytest.raises(Refused):
        Door(Router()).place(asking("/v1/projects/p/locations/evil.test/publishers/google/models/m:predict"))


@pytest.mark.parametrize(
    ("host", "port", "allowed"),
    [("up.test", 80, True), ("proxy.test", 3128, True), ("up.test", 81, False), ("evil.test", 80, False)],
)
def test_nothing_but_the_upstream_and_the_way_to_it_is_connected_to(host, port, allowed):
    door = Door(Router(parse_upstream("http://up.test")), Parents({"HTTP_PROXY": "http://proxy.test:3128"}))

    assert door.allows(client(), host, port) is allowed


def test_what_passes_a_forward_listener_of_somebody_elses_is_not_ours():
    door = Door(Router())

    assert not door.takes(client("regular"))
    assert door.allows(client("regular"), "anything.test", 1)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.0.0.2"])
def test_upstream_must_be_somebody_else(host):
    with pytest.raises(SetupError, match="is this proxy itself"):
        Door(Router(parse_upstream(f"http://{host}:8090"))).open(("127.0.0.1", 8090))


def test_proxy_that_is_gemtape_itself_is_left_out_and_said():
    environ = {"HTTPS_PROXY": "http://127.0.0.1:8090", "HTTP_PROXY": "http://proxy.test"}
    door = Door(Router(), Parents(environ))
    [note] = door.open(("127.0.0.1", 8090))

    assert note.startswith("http://127.0.0.1:8090 is gemtape itself")
    assert door.parents.of("https", "up.test", 443) is None
    assert door.parents.of("http", "up.test", 80)
