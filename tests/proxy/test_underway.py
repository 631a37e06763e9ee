"""Exchanges on their way: which of them a connection belongs to."""

from __future__ import annotations

from mitmproxy.connection import Client, Server
from mitmproxy.http import HTTPFlow, Request

from gemtape.cassettes.routes import parse_route
from gemtape.proxy.recording import Recording, Stage
from gemtape.proxy.underway import Underway

PATH = "/v1beta/models/m:generateContent"


def client(port: int) -> Client:
    return Client(peername=("127.0.0.1", port), sockname=("127.0.0.1", 8090), timestamp_start=0)


def begin(underway: Underway, of: Client) -> Recording:
    flow = HTTPFlow(of, Server(address=None))
    flow.request = Request.make("POST", f"https://up.test{PATH}")
    made = Recording(flow, "", PATH, "", (), "https://up.test", parse_route(PATH))
    underway[flow.id] = made
    return made


def test_connection_belongs_to_the_request_of_its_client():
    underway, one, two = Underway(), client(1), client(2)
    first, second = begin(underway, one), begin(underway, two)
    server = Server(address=("up.test", 443))

    underway.connecting(one, server)
    assert (first.stage, first.server, second.stage) == (Stage.CONNECTING, server, Stage.WAITING)
    underway.connected(one, server)
    assert first.stage is Stage.WAITING


def test_connection_to_a_proxy_is_only_half_the_way():
    underway, one = Underway(), client(1)
    recording, proxy = begin(underway, one), Server(address=("proxy.test", 3128))
    recording.flow.server_conn.via = ("http", ("proxy.test", 3128))

    underway.connecting(one, proxy)
    underway.connected(one, proxy)
    assert recording.stage is Stage.CONNECTING
    underway.connected(one, Server(address=("up.test", 443)))
    assert recording.stage is Stage.WAITING


def test_all_of_a_client_are_taken_out():
    underway, one = Underway(), client(1)
    first, second = begin(underway, one), begin(underway, one)
    other = begin(underway, client(2))

    assert underway.take_all(("127.0.0.1", 1)) == [first, second]
    assert list(underway.values()) == [other]
