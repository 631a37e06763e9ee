"""A request that differs only in names made elsewhere is found on a second look, and no other is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.entry import Entry
from gemtape.cassettes.lookup import Lookup, Repeat
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.resource_names import Nameless, may_hold_names
from gemtape.cassettes.store import Cassette
from tests.factories import call, calls, cassette_of, exchange, model_text, result, results, unary, user

HOST = "https://generativelanguage.googleapis.com/v1beta/"


def about(*names: str, text: str = "sum up", **more: Any) -> Exchange:
    """A prompt with files."""
    files = [{"fileData": {"fileUri": HOST + name, "mimeType": "text/plain"}} for name in names]
    return exchange(
        [{"role": "user", "parts": [*files, {"text": text}]}], model_text(" ".join(names)), **more
    )


def uploaded(name: str) -> Exchange:
    file = unary({"file": {"name": name, "uri": HOST + name}})
    return Exchange(Request("POST", "/upload/v1beta/files", body=b"data"), file)


def taken(
    tmp_path: Path, recorded: list[Exchange], *asked: Exchange, repeat: Repeat = Repeat.ONCE
) -> list[int]:
    """The exchanges that answer some requests, looked up a second time where the first look finds nothing; 0 for none."""
    with Cassette.read(cassette_of(tmp_path / "run.db", recorded)) as cassette:
        lookup = Lookup(cassette, repeat)
        nameless = Nameless(lookup)
        numbers = []
        for item in asked:
            entry = cassette.request_entry(item.request)
            key = cassette.key(entry)
            found = lookup.take(key) or nameless.take(entry, key, "", None, None)
            numbers.append(found.number if found else 0)
        return numbers


def test_file_of_another_run_stands_for_the_recorded_one(tmp_path: Path):
    assert taken(tmp_path, [about("files/a")], about("files/new")) == [1]


def test_name_counts_as_it_is_first(tmp_path: Path):
    """Two files with the same prompt: each gets its own answer, in any order."""
    recorded = [about("files/a"), about("files/b")]

    assert taken(tmp_path, recorded, about("files/b"), about("files/a")) == [2, 1]


def test_second_look_has_queues_too(tmp_path: Path):
    recorded = [about("files/a"), about("files/b")]

    assert taken(tmp_path, recorded, *[about("files/new")] * 3) == [1, 2, 0]


def test_which_names_are_the_same_counts(tmp_path: Path):
    recorded = [about("files/a", "files/a"), about("files/a", "files/b")]

    assert taken(tmp_path, recorded, about("files/x", "files/y"), about("files/y", "files/y")) == [2, 1]


@pytest.mark.parametrize(
    "asked",
    [
        about("files/new", text="something else"),
        about("files/new", "files/more"),
        about("cachedContents/new"),
        about("files/new", model="gemini-3-flash"),
        about("other/new"),
    ],
    ids=["text", "one more", "kind", "model", "no name"],
)
def test_everything_else_counts(tmp_path: Path, asked: Exchange):
    assert taken(tmp_path, [about("files/a")], asked) == [0]


def test_name_that_was_issued_here_counts_as_it_is(tmp_path: Path):
    """Whoever has it from this cassette means that very file."""
    recorded = [uploaded("files/issued"), about("files/a")]

    assert taken(tmp_path, recorded, about("files/issued"), about("files/new")) == [0, 2]


def test_recorded_request_about_an_issued_file_stays_with_it(tmp_path: Path):
    recorded = [uploaded("files/issued"), about("files/issued")]

    assert taken(tmp_path, recorded, about("files/new"), about("files/issued")) == [0, 2]


def test_names_that_were_recorded_do_not_stand_for_one_another(tmp_path: Path):
    """A client that asks something else about a file that it always uses gets no answer about another file."""
    recorded = [about("files/a", text="one"), about("files/b", text="two")]

    assert taken(tmp_path, recorded, about("files/a", text="two")) == [0]


def test_caches_interactions_and_paths_have_names_too(tmp_path: Path):
    def cached(name: str) -> Exchange:
        return exchange([user("a")], model_text("b"), cachedContent=name)

    def continued(name: str) -> Exchange:
        body = b'{"input": "a", "previous_interaction_id": "%s"}' % name.encode()
        return Exchange(Request("POST", "/v1beta/interactions", body=body), unary({}))

    def got(name: str) -> Exchange:
        return Exchange(Request("GET", f"/v1beta/{name}"), unary({}))

    recorded = [cached("cachedContents/a"), continued("v1_a"), got("files/a")]

    asked = [cached("cachedContents/b"), continued("v1_b"), got("files/b")]
    assert taken(tmp_path, recorded, *asked) == [1, 2, 3]


def test_vertex_names_its_caches_with_project_and_location(tmp_path: Path):
    one, other = (
        exchange([user("a")], cachedContent=f"projects/p/locations/l/cachedContents/{name}") for name in "12"
    )

    assert taken(tmp_path, [one], other) == [1]


def test_what_only_looks_like_a_name_in_user_data_counts(tmp_path: Path):
    def step(name: str) -> Exchange:
        args = {"fileUri": f"{HOST}files/{name}"}
        return exchange([user("a"), calls(call("f", args)), results(result("f", args))])

    assert taken(tmp_path, [step("a")], step("b")) == [0]
    assert taken(tmp_path / "text", [exchange([user("see files/a")])], exchange([user("see files/b")])) == [0]


def test_request_without_a_name_is_known_to_have_none(tmp_path: Path):
    with Cassette.temporary() as cassette:

        def entry(item: Exchange) -> Entry:
            return cassette.request_entry(item.request)

        assert not may_hold_names(entry(exchange([user("hello")])))
        assert may_hold_names(entry(about("files/a")))


def test_a_folder_of_the_same_name_is_no_name_of_the_api(tmp_path: Path):
    """A bucket's or an environment's: another file in there is another file."""

    def in_bucket(name: str) -> Exchange:
        file = {"fileData": {"fileUri": f"gs://bucket/files/{name}", "mimeType": "text/plain"}}
        return exchange([{"role": "user", "parts": [file]}])

    def in_environment(name: str) -> Exchange:
        return Exchange(Request("GET", f"/v1beta/environments/e/files/{name}"), unary({}))

    assert taken(tmp_path, [in_bucket("a"), in_environment("a")], in_bucket("b"), in_environment("b")) == [
        0,
        0,
    ]


def test_files_of_batches_have_names_too(tmp_path: Path):
    def batch(name: str) -> Exchange:
        body = b'{"batch": {"input_config": {"file_name": "files/%s"}}}' % name.encode()
        return Exchange(Request("POST", "/v1beta/models/m:batchGenerateContent", body=body), unary({}))

    def openai(name: str) -> Exchange:
        body = b'{"input_file_id": "files/%s", "endpoint": "/v1/chat/completions"}' % name.encode()
        return Exchange(Request("POST", "/v1beta/openai/batches", body=body), unary({}))

    assert taken(tmp_path, [batch("a"), openai("a")], openai("b"), batch("b")) == [2, 1]
