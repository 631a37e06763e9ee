from __future__ import annotations

from gemtape.cassettes.answers import Answer
from gemtape.cassettes.leading import leading_back, names_uploads
from gemtape.cassettes.models import Chunk
from gemtape.cassettes.uploads import restored_path, stand_in

FILES = "/upload/v1beta/files"
KEPT = f"https://generativelanguage.googleapis.com{FILES}?upload_id={stand_in('u')}&upload_protocol=resumable"
ORIGIN = "http://127.0.0.1:8090"


def started(url: str = KEPT, name: bytes = b"x-goog-upload-url") -> Answer:
    headers = ((b"x-goog-upload-status", b"active"), (name, url.encode()), (b"content-length", b"0"))
    return Answer(200, headers, (Chunk(1, b""),))


def url_of(answer: Answer) -> str:
    return answer.headers[1][1].decode()


def test_only_answers_that_begin_an_upload_name_one():
    assert names_uploads(started())
    assert names_uploads(started(name=b"location"))
    assert not names_uploads(started("https://h/elsewhere", b"location"))
    assert not names_uploads(Answer(200, ((b"x-goog-upload-status", b"final"),)))


def test_the_url_leads_to_the_door_and_all_else_stays():
    answer = started()
    back = leading_back(answer, ORIGIN, FILES, 1)

    assert url_of(back) == f"{ORIGIN}{FILES}?upload_id={stand_in('u')}&upload_protocol=resumable"
    assert (back.status, back.chunks) == (answer.status, answer.chunks)
    assert (back.headers[0], back.headers[2]) == (answer.headers[0], answer.headers[2])


def test_the_prefix_is_in_the_path_and_in_the_id_for_those_who_lose_the_path():
    back = url_of(leading_back(started(), ORIGIN, f"/refunds/h%20y/@run1{FILES}", 1))
    path, _, query = back.removeprefix(ORIGIN).partition("?")

    assert path == f"/refunds/h%20y/@run1{FILES}"
    assert restored_path(FILES, query) == path


def test_base_path_of_the_upstream_is_left_out():
    answer = started(KEPT.replace(FILES, f"/gateway/base{FILES}"))
    assert url_of(leading_back(answer, ORIGIN, FILES, 1)).startswith(f"{ORIGIN}{FILES}?")


def test_uploads_without_an_id_are_told_apart_by_their_exchange():
    old = started(f"https://generativelanguage.googleapis.com{FILES}?upload_protocol=resumable")
    urls = {url_of(leading_back(old, ORIGIN, FILES, number)) for number in (1, 2)}

    assert len(urls) == 2
    assert all("upload_id=gemtape-" in url for url in urls)
