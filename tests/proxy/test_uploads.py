"""Uploads while they are recorded: where the client is led, where its bytes go, and what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from gemtape.cassettes.uploads import stand_in, upload_id
from gemtape.proxy.tape import Existing
from tests.proxied import proxied, receive_all, stored
from tests.resumable import GRANULARITY, Files
from tests.uploading import KEY, Uploader
from tests.upstream import Upstream

DATA = bytes(range(256)) * 40
MEBI = 1024 * 1024


@pytest.fixture
def files():
    return Files()


@pytest.fixture
def upstream(files: Files):
    with Upstream(files) as server:
        yield server


def bytes_of(path: Path) -> bytes:
    """The cassette and whatever lies beside it."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(path.name + "*")))


@pytest.mark.parametrize("keeps_only_path", [False, True], ids=["url as given", "path only"])
def test_an_upload_is_recorded_without_its_id_in_any_byte(
    tmp_path: Path, upstream: Upstream, files: Files, keeps_only_path: bool
):
    path = tmp_path / "run.db"
    with proxied(path, upstream.url) as proxy, proxy.client() as http:
        made = Uploader(http, proxy.url, keeps_only_path).upload(DATA, displayName="n")
        during = bytes_of(path)

    assert files.files[made["file"]["name"]] == DATA
    assert files.legs_with_key == keeps_only_path
    start, leg = stored(path)
    assert start.response
    assert leg.request.body == DATA
    known = stand_in(files.ids[0])
    for name in ("x-goog-upload-url", "x-goog-upload-control-url"):
        assert start.response.header(name) == (
            f"{upstream.url}/upload/v1beta/files?upload_id={known}&upload_protocol=resumable"
        )
    assert upload_id(leg.request.query) == known
    said = "\n".join(proxy.lines).encode()
    assert [
        secret for secret in (files.ids[0], KEY) if secret.encode() in during + bytes_of(path) + said
    ] == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_url_leads_to_the_host_that_the_client_used(tmp_path: Path, upstream: Upstream, host: str):
    with proxied(tmp_path / "run.db", upstream.url) as proxy, proxy.client() as http:
        base = proxy.url.replace("127.0.0.1", host)
        url = Uploader(http, base).start(DATA)

    assert url.startswith(f"{base}/upload/v1beta/files?upload_id=")


def test_a_client_that_names_no_host_is_led_to_the_address_it_came_to(tmp_path: Path, upstream: Upstream):
    with proxied(tmp_path / "run.db", upstream.url) as proxy, proxy.connect() as connection:
        connection.sendall(
            b"POST /upload/v1beta/files HTTP/1.0\r\nx-goog-api-key: k\r\nX-Goog-Upload-Command: start\r\n\r\n"
        )
        head = receive_all(connection).decode()

    assert f"X-Goog-Upload-URL: {proxy.url}/upload/v1beta/files?upload_id=" in head


@pytest.mark.parametrize("keeps_only_path", [False, True], ids=["url as given", "path only"])
def test_a_leg_reaches_the_cassette_where_its_upload_began(
    tmp_path: Path, upstream: Upstream, files: Files, keeps_only_path: bool
):
    """Also that of a client which loses the prefix, while others upload into other cassettes."""
    with proxied(tmp_path, upstream.url, folder=True) as proxy, proxy.client() as http:
        one, other = (
            Uploader(http, f"{proxy.url}/{name}", keeps_only_path) for name in ("a/one/@run", "two")
        )
        urls = one.start(b"1" * 9), other.start(b"2" * 9)
        other.send(urls[1], b"2" * 9)
        one.send(urls[0], b"1" * 9)

    assert f"{proxy.url}/a/one/@run/upload/" in urls[0] or keeps_only_path
    for name, data in (("a/one", b"1" * 9), ("two", b"2" * 9)):
        assert [item.request.body for item in stored(tmp_path / f"{name}.db")][1:] == [data]


def test_a_large_file_goes_in_pieces_and_can_be_asked_after_and_cancelled(
    tmp_path: Path, upstream: Upstream, files: Files
):
    path = tmp_path / "run.db"
    data = b"\x00" * GRANULARITY * 2 + b"end"
    with proxied(path, upstream.url) as proxy, proxy.client() as http:
        uploader = Uploader(http, proxy.url)
        url = uploader.start(data)
        uploader.leg(url, "upload", data[:GRANULARITY], 0).raise_for_status()
        assert uploader.leg(url, "query").headers["x-goog-upload-size-received"] == str(GRANULARITY)
        uploader.leg(url, "upload", data[GRANULARITY : 2 * GRANULARITY], GRANULARITY).raise_for_status()
        made = uploader.leg(url, "upload, finalize", b"end", 2 * GRANULARITY).json()
        gone = uploader.start(b"x")
        assert uploader.leg(gone, "cancel").headers["x-goog-upload-status"] == "cancelled"
        assert uploader.leg(gone, "upload, finalize", b"x", 0).status_code == 400

    assert files.files[made["file"]["name"]] == data
    assert len(stored(path)) == 8
    assert path.stat().st_size < GRANULARITY * 1.2, "equal pieces are stored once"


def test_equal_files_are_stored_once(tmp_path: Path, upstream: Upstream):
    path = tmp_path / "run.db"
    data = b"".join(number.to_bytes(4) for number in range(MEBI // 4))
    with proxied(path, upstream.url) as proxy, proxy.client() as http:
        for name in ("one", "two", "three"):
            Uploader(http, proxy.url).upload(data, displayName=name)

    assert [len(item.request.body) for item in stored(path)][1::2] == [MEBI] * 3
    assert path.stat().st_size < MEBI * 1.2


def test_a_leg_goes_to_the_url_that_the_upstream_named(tmp_path: Path):
    """Which need not be below the base path that requests go to."""
    with Upstream() as server:
        files = Files(base="/named/base")
        start, leg = Files(), files

        def by_place(request):
            target = request.target
            if target.startswith("/given/base"):
                request.target = target.removeprefix("/given/base")
                answer = b"".join(start(request))
                files._uploads |= start._uploads
                yield answer.replace(server.url.encode(), f"{server.url}/named/base".encode())
            else:
                yield from leg(request)

        server.default = by_place
        with proxied(tmp_path / "run.db", f"{server.url}/given/base") as proxy, proxy.client() as http:
            made = Uploader(http, proxy.url).upload(DATA)

    assert made["file"]["sizeBytes"] == str(len(DATA))
    assert server.requests[1].target.startswith("/named/base/upload/v1beta/files?upload_id=")
    assert [item.request.path for item in stored(tmp_path / "run.db")] == ["/upload/v1beta/files"] * 2


def test_an_upload_url_elsewhere_gets_nothing(tmp_path: Path, upstream: Upstream, files: Files):
    with Upstream() as elsewhere:
        files.origin = elsewhere.url
        with proxied(tmp_path / "run.db", upstream.url) as proxy, proxy.client() as http:
            uploader = Uploader(http, proxy.url)
            answer = uploader.leg(uploader.start(DATA), "upload, finalize", DATA, 0)

    assert (answer.status_code, elsewhere.connections) == (412, 0)
    assert f"{elsewhere.url}, and gemtape sends nothing there" in answer.json()["error"]["message"]
    assert len(stored(tmp_path / "run.db")) == 1


def test_a_leg_of_an_upload_that_did_not_begin_here_goes_where_its_path_belongs(
    tmp_path: Path, upstream: Upstream
):
    """With a folder, a path without a name belongs nowhere, and the answer says what that means."""
    url = "/upload/v1beta/files?upload_id=never-seen"
    with proxied(tmp_path / "run.db", upstream.url) as proxy, proxy.client() as http:
        assert "there is no upload never-seen" in http.post(url).text
    assert len(upstream.requests) == 1
    with proxied(tmp_path / "folder", upstream.url, folder=True) as proxy, proxy.client() as http:
        refused = http.post(url)
        assert http.post("/named" + url).status_code == 404

    assert refused.status_code == 400
    assert "no upload with this id began here" in refused.json()["error"]["message"]
    assert len(upstream.requests) == 2


def test_a_location_is_led_back_only_where_it_is_that_of_an_upload(tmp_path: Path):
    def answer(request):
        place = f"http://{request.header('host')}/upload/v1beta/files?uploadType=resumable&upload_id=L"
        other = "https://example.com/elsewhere"
        where = place if "files" in request.target else other
        yield f"HTTP/1.1 200 X\r\nLocation: {where}\r\nContent-Length: 0\r\n\r\n".encode()

    path = tmp_path / "run.db"
    with Upstream(answer) as server, proxied(path, server.url) as proxy, proxy.client() as http:
        led = http.post("/upload/v1beta/files?uploadType=resumable").headers["location"]
        left = http.post("/v1beta/models/m:generateContent").headers["location"]
        relative = led.removeprefix(proxy.url)
        http.put(relative, content=b"x", headers={"Content-Range": "bytes 0-0/1"})

    assert led == f"{proxy.url}/upload/v1beta/files?uploadType=resumable&upload_id=L"
    assert left == "https://example.com/elsewhere"
    first, second, leg = stored(path)
    assert first.response
    assert second.response
    assert upload_id((first.response.header("location") or "").partition("?")[2]) == stand_in("L")
    assert second.response.header("location") is None
    assert (leg.request.method, leg.request.header("content-range")) == ("PUT", "bytes 0-0/1")


def test_stores_take_uploads_alike(tmp_path: Path, upstream: Upstream):
    path = tmp_path / "run.db"
    with proxied(path, upstream.url) as proxy, proxy.client() as http:
        uploader = Uploader(http, proxy.url, resource="fileSearchStores/s1:uploadToFileSearchStore")
        made = uploader.upload(DATA, displayName="n")

    assert made["response"]["documentName"].startswith("fileSearchStores/s1/documents/")
    assert [item.request.path for item in stored(path)] == [
        "/upload/v1beta/fileSearchStores/s1:uploadToFileSearchStore"
    ] * 2


def test_downloads_are_recorded_to_the_byte(tmp_path: Path, upstream: Upstream, files: Files):
    path = tmp_path / "run.db"
    data = bytes(range(256)) * 5000
    with proxied(path, upstream.url) as proxy, proxy.client() as http:
        name = Uploader(http, proxy.url).upload(data)["file"]["name"]
        got = http.get(f"/v1beta/{name}:download?alt=media", headers={"x-goog-api-key": KEY})

    assert got.content == data
    *_, last = stored(path)
    assert last.response
    assert last.response.body == data


@pytest.mark.parametrize("keeps_only_path", [False, True], ids=["url as given", "path only"])
def test_what_was_recorded_before_is_answered_and_another_file_goes_live(
    tmp_path: Path, upstream: Upstream, keeps_only_path: bool
):
    """With `--mode new`: an upload is wholly from the cassette, or wholly live."""
    made = []
    for existing in (Existing.REFUSE, Existing.NEW):
        with (
            proxied(tmp_path, upstream.url, folder=True, existing=existing) as proxy,
            proxy.client() as http,
        ):
            uploader = Uploader(http, f"{proxy.url}/t", keeps_only_path)
            made.append(uploader.upload(DATA, displayName="old"))
            if existing is Existing.NEW:
                assert len(upstream.requests) == 2
                made.append(uploader.upload(DATA, displayName="new"))

    assert made[0] == made[1] != made[2]
    assert len(upstream.requests) == 4
    assert len(stored(tmp_path / "t.db")) == 4
