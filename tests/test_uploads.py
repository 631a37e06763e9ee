"""Uploads recorded and replayed, upstream stopped, over real sockets and without any: what was uploaded is answered again."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from gemtape.cassettes.models import Exchange
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.transcript import read_lines, write_transcript
from gemtape.replay.answering import Verdict
from gemtape.replay.deck import Deck
from gemtape.replay.server import Server, serve
from gemtape.replay.shelf import Shelf
from gemtape.replay.transport import ReplayTransport
from tests.proxied import proxied, stored
from tests.resumable import Files
from tests.uploading import KEY, Uploader
from tests.upstream import Upstream

Flow = Callable[[httpx.Client, str], Any]
PATHS = pytest.mark.parametrize("keeps_only_path", [False, True], ids=["url as given", "path only"])
LARGE = random.Random(20).randbytes(20 * 1024 * 1024)


@contextmanager
def client(**options: Any) -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, timeout=60, headers={"x-goog-api-key": KEY}, **options) as http:
        yield http


def recorded(target: Path, flow: Flow, *names: str) -> Any:
    """Record a flow, into a cassette or into those of a folder; the upstream is gone when this returns."""
    with (
        Upstream(Files()) as upstream,
        proxied(target, upstream.url, folder=bool(names)) as proxy,
        client() as http,
    ):
        return [flow(http, f"{proxy.url}/{name}") for name in names] if names else flow(http, proxy.url)


def all_hits(server: Server[Deck]) -> bool:
    """Whether every request was answered with an exchange of its own, and every exchange was asked for."""
    tallies = [tally for _, tally in server.deck.tallies()]
    hits = server.deck.verdicts()[Verdict.HIT]
    return hits == server.deck.verdicts().total() == sum(tally.exchanges for tally in tallies)


@PATHS
def test_20_megabytes_are_replayed(tmp_path: Path, keeps_only_path: bool):
    def flow(http: httpx.Client, base: str) -> Any:
        return Uploader(http, base, keeps_only_path).upload(LARGE, displayName="large")

    made = recorded(tmp_path, flow, "big/one")
    assert made[0]["file"]["sizeBytes"] == str(len(LARGE))
    with serve(tmp_path) as server, client() as http:
        again = flow(http, f"{server.url}/big/one")
        assert all_hits(server)
        with pytest.raises(httpx.HTTPStatusError, match="412"):
            Uploader(http, f"{server.url}/big/one").upload(LARGE[:-1] + b"x", displayName="large")

    assert [again] == made


@PATHS
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(
    ("names", "contents"),
    [(("n", "n"), (b"first", b"other")), (("a", "b"), (b"equal", b"equal"))],
    ids=["same name", "same bytes"],
)
def test_uploads_at_a_time_are_told_apart(
    tmp_path: Path, keeps_only_path: bool, order: tuple[int, int], names, contents
):
    """They may begin and end in another order than they were recorded in."""

    def flow(http: httpx.Client, base: str, turns: tuple[int, int] = (0, 1)) -> Any:
        uploader = Uploader(http, base, keeps_only_path)
        urls = {turn: uploader.start(contents[turn], displayName=names[turn]) for turn in turns}
        sent = {turn: uploader.send(urls[turn], contents[turn], 2).json() for turn in reversed(turns)}
        return [sent[turn]["file"]["name"] for turn in (0, 1)]

    made = recorded(tmp_path / "run.db", flow)
    assert len(set(made)) == 2
    with serve(tmp_path / "run.db") as server, client() as http:
        again = flow(http, server.url, order)
        assert all_hits(server)

    assert again == made


def test_a_file_is_prompted_with_and_downloaded_under_its_recorded_name(tmp_path: Path):
    data = bytes(range(256)) * 3000

    def flow(http: httpx.Client, base: str) -> list[Any]:
        file = Uploader(http, base).upload(data)["file"]
        part = {"fileData": {"fileUri": file["uri"], "mimeType": file["mimeType"]}}
        asked = http.post(
            f"{base}/v1beta/models/m:generateContent", json={"contents": [{"parts": [part, {"text": "?"}]}]}
        )
        state = http.get(f"{base}/v1beta/{file['name']}")
        got = http.get(f"{base}/v1beta/{file['name']}:download?alt=media")
        return [file, asked.json(), state.json(), got.headers["content-type"], got.content]

    made = recorded(tmp_path / "run.db", flow)
    with serve(tmp_path / "run.db") as server, client() as http:
        again = flow(http, server.url)
        assert all_hits(server)

    assert again == made
    assert again[0]["uri"].startswith("https://generativelanguage.googleapis.com/v1beta/files/")
    assert again[-1] == data


def test_multipart_uploads_match_whatever_the_boundary(tmp_path: Path):
    boundaries = iter(["=_one", "=_two"])

    def flow(http: httpx.Client, base: str) -> Any:
        boundary = next(boundaries)
        about = json.dumps({"file": {"displayName": boundary[:2]}})
        parts = [("application/json", about), ("text/plain", "the file")]
        body = "".join(f"--{boundary}\r\nContent-Type: {kind}\r\n\r\n{data}\r\n" for kind, data in parts)
        return http.post(
            f"{base}/upload/v1beta/files?uploadType=multipart",
            content=f"{body}--{boundary}--\r\n",
            headers={"content-type": f"multipart/related; boundary={boundary}"},
        ).json()

    made = recorded(tmp_path / "run.db", flow)
    assert made["file"]["sizeBytes"] == "8"
    with serve(tmp_path / "run.db") as server, client() as http:
        assert flow(http, server.url) == made
        assert all_hits(server)


def test_stores_take_uploads_alike(tmp_path: Path):
    def flow(http: httpx.Client, base: str) -> Any:
        resource = "fileSearchStores/s-1:uploadToFileSearchStore"
        return Uploader(http, base, resource=resource).upload(b"abc", displayName="n")

    made = recorded(tmp_path / "run.db", flow)
    assert "documentName" in made["response"]
    with serve(tmp_path / "run.db") as server, client() as http:
        assert flow(http, server.url) == made
        assert all_hits(server)


def small(http: httpx.Client, base: str, keeps_only_path: bool = False) -> Any:
    """A small file, asked after in between."""
    uploader = Uploader(http, base, keeps_only_path)
    url = uploader.start(b"abcdef", displayName="n")
    uploader.leg(url, "upload", b"abc", 0).raise_for_status()
    received = uploader.leg(url, "query").headers["x-goog-upload-size-received"]
    return [received, uploader.leg(url, "upload, finalize", b"def", 3).json()]


def test_sizes_may_be_spelled_by_one_client_and_played_to_another(tmp_path: Path):
    """Python writes a number, JavaScript a text."""
    made = recorded(tmp_path / "run.db", small)
    with serve(tmp_path / "run.db") as server, client() as http:
        assert small(http, server.url, True) == made
        assert all_hits(server)


@PATHS
def test_sessions_upload_apart(tmp_path: Path, keeps_only_path: bool):
    made = recorded(tmp_path, small, "t")
    with serve(tmp_path) as server, client() as http:
        runs = [small(http, f"{server.url}/t/@{name}", keeps_only_path) for name in ("one", "two")]
        verdicts = server.deck.verdicts()

    assert runs == made * 2
    assert verdicts[Verdict.HIT] == verdicts.total()


def test_a_client_is_led_to_the_host_that_it_used(tmp_path: Path):
    recorded(tmp_path, small, "t")
    with serve(tmp_path) as server, client() as http:
        for base in (server.url, server.url.replace("127.0.0.1", "localhost")):
            url = Uploader(http, f"{base}/t/@run").start(b"abcdef", displayName="n")
            assert url.startswith(f"{base}/t/@run/upload/v1beta/files?upload_id=gemtape-")


@PATHS
def test_an_upload_needs_no_socket(tmp_path: Path, keeps_only_path: bool):
    made = recorded(tmp_path, small, "t")
    transport = ReplayTransport(tmp_path)
    with client(transport=transport) as http:
        assert small(http, "https://generativelanguage.googleapis.com/t", keeps_only_path) == made[0]
        url = Uploader(http, "https://any.example:444/t").start(b"abcdef", displayName="n")

    assert url.startswith("https://any.example:444/t/upload/v1beta/files?upload_id=gemtape-")
    assert transport.deck.verdicts()[Verdict.MISS] == 0


@PATHS
def test_uploads_of_tests_go_to_the_cassette_of_their_test(tmp_path: Path, keeps_only_path: bool):
    """The decks of many tests stand on one server, each below a path of its own."""
    for name in ("one", "two"):
        recorded(tmp_path / f"{name}.db", small)
    shelf = Shelf()
    heard: list[Verdict | None] = []
    with Server(shelf) as server, client() as http:
        decks = [Deck(tmp_path / f"{name}.db") for name in ("one", "two")]
        names = [shelf.put(deck, lambda _, reply: heard.append(reply.verdict)) for deck in decks]
        for name in names:
            small(http, f"{server.url}/{name}", keeps_only_path)
        hits = [deck.verdicts()[Verdict.HIT] for deck in decks]
        for deck in decks:
            deck.close()

    assert hits == [4, 4]
    assert heard == [Verdict.HIT] * 8
    assert shelf.lost == 0


def without_ids(item: Exchange) -> Exchange:
    """An exchange as older versions stored it: the id of an upload was removed."""
    request = replace(item.request, query=_without_id(item.request.query))
    if item.response is None:
        return replace(item, request=request)
    headers = tuple(
        (name, f"{value.partition('?')[0]}?{_without_id(value.partition('?')[2])}")
        if name.lower() == "x-goog-upload-url"
        else (name, value)
        for name, value in item.response.headers
        if name.lower() != "x-goog-upload-control-url"
    )
    return replace(item, request=request, response=replace(item.response, headers=headers))


def _without_id(query: str) -> str:
    return "&".join(pair for pair in query.split("&") if not pair.startswith("upload_id="))


@PATHS
def test_an_older_cassette_is_replayed_by_its_bytes(tmp_path: Path, keeps_only_path: bool):
    made = recorded(tmp_path / "new.db", small)
    with Cassette.create(tmp_path / "old" / "t.db") as cassette:
        for item in stored(tmp_path / "new.db"):
            cassette.add(without_ids(item))
    assert b"upload_id" not in (tmp_path / "old" / "t.db").read_bytes()
    with serve(tmp_path / "old") as server, client() as http:
        assert small(http, f"{server.url}/t", keeps_only_path) == made
        assert all_hits(server)


def test_what_is_exported_is_imported_and_replayed(tmp_path: Path):
    made = recorded(tmp_path / "run.db", small)
    lines = [_exported(tmp_path / "run.db")]
    with Cassette.create(tmp_path / "again.db") as cassette:
        for item in read_lines(io.BytesIO(lines[0]), "x"):
            cassette.add(item)
    lines.append(_exported(tmp_path / "again.db"))

    assert lines[0] == lines[1]
    assert b"abc" in lines[0], "a file that is text can be read in a transcript"
    with serve(tmp_path / "again.db") as server, client() as http:
        assert small(http, server.url) == made
        assert all_hits(server)


def _exported(path: Path) -> bytes:
    written = io.BytesIO()
    write_transcript(stored(path), written)
    return written.getvalue()


def test_a_replay_can_be_recorded(tmp_path: Path):
    """What it says of its uploads is no secret, and stays linked in the second cassette too."""
    made = recorded(tmp_path / "run.db", small)
    with (
        serve(tmp_path / "run.db") as server,
        proxied(tmp_path / "again.db", server.url) as proxy,
        client() as http,
    ):
        assert small(http, proxy.url) == made
    with serve(tmp_path / "again.db") as server, client() as http:
        assert small(http, server.url, True) == made
        assert all_hits(server)


def test_a_leg_of_no_upload_is_refused_where_its_path_names_no_cassette(tmp_path: Path):
    recorded(tmp_path, small, "t")
    with serve(tmp_path) as server, client() as http:
        answer = http.post(f"{server.url}/upload/v1beta/files?upload_id=never-seen", content=b"x")

    assert answer.status_code == 412
    assert "no cassette is named" in answer.json()["error"]["message"]
