from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.uploads import (
    belongs_to_upload,
    carries_file,
    is_stand_in,
    led_back,
    names_upload,
    restored_path,
    stand_in,
    upload_id,
    upload_ids,
    with_prefix,
    words,
)

FILES = "/upload/v1beta/files"
LEG = "upload_id=abc&upload_protocol=resumable"


@given(st.text(min_size=1))
def test_stand_in_says_nothing_of_the_id_and_stands_for_itself(real: str):
    known = stand_in(real)

    assert re.fullmatch("gemtape-[0-9a-f]{16}", known)
    assert is_stand_in(known)
    assert stand_in(known) == known == stand_in(real)


def test_stand_ins_of_two_uploads_differ_and_no_id_has_none():
    assert stand_in("a") != stand_in("b")
    assert stand_in("") == ""
    assert is_stand_in("")
    assert not is_stand_in("abc")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ""),
        ("alt=sse", ""),
        (LEG, "abc"),
        ("a=1&upload%5Fid=x%2Dy+z", "x-y z"),
        ("upload_idx=1", ""),
        ("my_upload_id=1", ""),
    ],
)
def test_the_id_is_read_from_a_query(query: str, found: str):
    assert upload_id(query) == found


@pytest.mark.parametrize(
    ("name", "url", "names"),
    [
        ("x-goog-upload-url", "https://h/upload/v1/files", True),
        ("x-goog-upload-control-url", f"https://h{FILES}?{LEG}", True),
        ("location", f"https://h{FILES}?{LEG}", True),
        ("location", "https://h/somewhere", False),
        ("content-location", f"https://h{FILES}?{LEG}", False),
    ],
)
def test_a_header_names_an_upload(name: str, url: str, names: bool):
    assert names_upload(name, url) is names


def test_all_ids_of_an_answer_are_found():
    headers = (
        ("X-Goog-Upload-URL", f"https://h{FILES}?{LEG}"),
        ("Location", f"https://h{FILES}?upload_id=other"),
        ("X-Goog-Upload-Status", "active"),
    )
    assert upload_ids(headers) == {"abc", "other"}


@pytest.mark.parametrize(
    ("path", "query", "headers", "carries"),
    [
        (FILES, "", (("X-Goog-Upload-Command", "start"),), False),
        (FILES, LEG, (("X-Goog-Upload-Command", "Upload , finalize"),), True),
        (FILES, LEG, (("X-Goog-Upload-Command", "query"),), False),
        (FILES, "", (("X-Goog-Upload-Command", "start, upload, finalize"),), True),
        (FILES, "", (("X-Goog-Upload-Protocol", "raw"),), True),
        (FILES, "uploadType=media", (), True),
        (FILES, LEG, (), True),
        (FILES, "", (), False),
        ("/v1beta/files", "", (("X-Goog-Upload-Command", "upload"),), False),
    ],
)
def test_which_requests_carry_a_file(path: str, query: str, headers, carries: bool):
    assert carries_file(path, query, headers) is carries


def test_what_belongs_to_an_upload():
    assert belongs_to_upload(FILES, "")
    assert belongs_to_upload("/v1beta/upload/v1beta/files", "")
    assert belongs_to_upload("/elsewhere", LEG)
    assert not belongs_to_upload("/v1beta/files", "alt=json")


def test_words_of_a_command():
    assert words(" Upload,finalize ,") == ["upload", "finalize"]


@pytest.mark.parametrize(
    ("url", "back"),
    [
        (f"https://generativelanguage.googleapis.com{FILES}?{LEG}", f"http://door/t{FILES}?{LEG}"),
        (f"https://gateway/base/path{FILES}?{LEG}", f"http://door/t{FILES}?{LEG}"),
        (f"https://gateway/elsewhere?{LEG}", f"http://door/t/fallback?{LEG}"),
        ("https://gateway", "http://door/t/fallback"),
        ("no address at all", "http://door/t/fallback"),
    ],
)
def test_an_upload_url_leads_back_through_the_door(url: str, back: str):
    assert led_back(url, "http://door/t", "/fallback") == back


@given(st.text(alphabet="ab/@%_-.é", max_size=40).map(lambda text: text.strip("/")))
def test_a_prefix_that_a_client_lost_comes_back(prefix: str):
    url = with_prefix(f"http://door{FILES}?{LEG}", prefix, "")
    path, _, query = url.removeprefix("http://door").partition("?")

    assert restored_path(path, query) == (f"/{prefix}{FILES}" if prefix else FILES)
    assert stand_in(upload_id(query)) == stand_in("abc")
    assert "upload_protocol=resumable" in query


def test_a_prefix_that_is_there_is_left_alone():
    query = with_prefix(f"http://door{FILES}?{LEG}", "lost", "").partition("?")[2]
    assert restored_path(f"/kept{FILES}", query) == f"/kept{FILES}"


def test_an_upload_without_an_id_gets_one():
    url = with_prefix(f"http://door{FILES}?upload_protocol=resumable", "", "exchange 1")
    assert upload_id(url.partition("?")[2]) == stand_in("exchange 1")
    assert with_prefix(f"http://door{FILES}", "", "exchange 1").endswith(
        f"?upload_id={stand_in('exchange 1')}"
    )


@pytest.mark.parametrize("query", ["", LEG, "upload_id=gemtape-0123456789abcdef.A", "upload_id=gemtape-0.eA"])
def test_other_ids_restore_nothing(query: str):
    assert restored_path(FILES, query) == FILES
