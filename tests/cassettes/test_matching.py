"""What a user ignores does not count in a match key, and everything else still does."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemtape.cassettes.comparison import compare
from gemtape.cassettes.endpoints import UNKNOWN
from gemtape.cassettes.entry import Entry
from gemtape.cassettes.errors import SetupError
from gemtape.cassettes.lookup import Lookup
from gemtape.cassettes.matchform import match_form, match_key
from gemtape.cassettes.matching import EVERYTHING, FILTERS, Matching
from gemtape.cassettes.misses import explain
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.preparing import entry_of
from gemtape.cassettes.redaction import Redactor
from gemtape.cassettes.schema import CONTENT
from gemtape.cassettes.store import Cassette
from gemtape.cassettes.turns import TurnTree
from tests.factories import call, calls, cassette_of, exchange, model_text, result, results, user
from tests.strategies import BODIES

PATH = "/v1beta/models/gemini-3-pro:generateContent"
BODY: dict[str, Any] = {
    "contents": [
        user("today is 2026-11-30"),
        calls(call("look", {"at": 1796000000, "id": "A"})),
        results(result("look", {"n": 1, "trace": {"id": "t1"}})),
    ],
    "tools": [{"functionDeclarations": [{"name": "look", "parameters": {"type": "OBJECT", "properties": {"id": {"type": "STRING"}}}}]}],
    "systemInstruction": {"parts": [{"text": "be brief"}]},
    "generationConfig": {"seed": 7, "temperature": 1},
    "labels": {"team": "a"},
}  # fmt: skip


def entry(body: Any, path: str = PATH) -> Entry:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return entry_of(Exchange(Request("POST", path, body=data)), Redactor(), TurnTree())


def changed(*path: str | int, to: Any = "changed", body: Any = BODY) -> Any:
    twin = copy.deepcopy(body)
    target = twin
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = to
    return twin


def without(*path: str | int) -> Any:
    twin = copy.deepcopy(BODY)
    target = twin
    for step in path[:-1]:
        target = target[step]
    del target[path[-1]]
    return twin


def equal(one: Any, other: Any, matching: Matching) -> bool:
    """Whether they have one key; comparing them has to come to the same."""
    pair = entry(one), entry(other)
    same = match_key(pair[0], matching) == match_key(pair[1], matching)
    assert (compare(*pair, matching).differences == ()) == same
    assert (match_form(pair[0], matching) == match_form(pair[1], matching)) == same
    return same


TRACE = ("contents", 2, "parts", 0, "functionResponse", "response", "trace")


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("/contents/*/parts/*/text", ("contents", 0, "parts", 0, "text")),
        ("/contents/0/parts/0/text", ("contents", 0, "parts", 0, "text")),
        ("/contents/0/parts", ("contents", 0, "parts")),
        ("/contents/0", ("contents", 0)),
        ("/contents", ("contents",)),
        ("/contents/*/parts/*/functionResponse/response/trace", TRACE),
        ("/contents/*/parts/*/functionResponse/response/*/id", (*TRACE, "id")),
        ("/contents/1/parts/0/functionCall/args", ("contents", 1, "parts", 0, "functionCall", "args")),
        ("/tools/0/functionDeclarations/0/parameters", ("tools", 0, "functionDeclarations", 0, "parameters")),
        (
            "/tools/*/functionDeclarations/*/parameters/properties/id/type",
            ("tools", 0, "functionDeclarations", 0, "parameters", "properties", "id", "type"),
        ),
        ("/tools", ("tools",)),
        ("/systemInstruction", ("systemInstruction",)),
        ("/systemInstruction/parts/0/text", ("systemInstruction", "parts", 0, "text")),
        ("/generationConfig/seed", ("generationConfig", "seed")),
        ("/labels/*", ("labels", "team")),
        ("/request/labels", ("labels",)),
    ],
)
def test_ignored_value_does_not_count_wherever_it_stands(pointer: str, place: tuple[str | int, ...]):
    matching = Matching(ignore=(pointer,))
    to: Any = {"other": 1} if place[-1] in ("trace", "args", "parameters") else "changed"
    if place == ("contents", 0):
        to = user("another day")
    elif place[-1] in ("contents", "parts"):
        to = [{"text": "x"}, {"text": "y"}] if place[-1] == "parts" else [user("z")]
    elif place[-1] in ("tools", "systemInstruction"):
        to = [{"googleSearch": {}}] if place[-1] == "tools" else {"parts": [{"text": "be long"}]}
    elif place[-1] == "labels":
        to = {"team": "b", "more": "c"}

    assert equal(BODY, changed(*place, to=to), matching)
    assert not equal(BODY, changed(*place, to=to), EVERYTHING)
    assert not equal(BODY, changed("generationConfig", "temperature", to=0), matching), "the rest counts"


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("/systemInstruction", ("systemInstruction",)),
        ("/systemInstruction/parts", ("systemInstruction",)),
        ("/generationConfig/*", ("generationConfig",)),
        ("/contents/*/parts/*/functionCall/args/*", ("contents", 1, "parts", 0, "functionCall", "args")),
        ("/tools", ("tools",)),
        ("/labels/team", ("labels",)),
    ],
)
def test_ignored_value_counts_as_absent(pointer: str, place: tuple[str | int, ...]):
    assert equal(BODY, without(*place), Matching(ignore=(pointer,)))


def test_ignored_items_of_a_list_are_still_counted():
    matching = Matching(ignore=("/contents/*",))

    assert equal(BODY, {**BODY, "contents": [user("1"), user("2"), user("3")]}, matching)
    assert not equal(BODY, {**BODY, "contents": [user("1"), user("2")]}, matching)


def test_pointers_hold_inside_code_assist_bodies_with_and_without_request():
    wrapped, other = (
        {"model": "m", "project": "p", "request": body}
        for body in (BODY, changed("generationConfig", "seed", to=8, body=changed("contents", 0, "parts", 0, "text")))
    )  # fmt: skip
    for prefix in ("", "/request"):
        matching = Matching(ignore=(f"{prefix}/generationConfig/seed", f"{prefix}/contents/*/parts/*/text"))
        keys = {match_key(entry(body, "/v1internal:generateContent"), matching) for body in (wrapped, other)}
        assert len(keys) == 1


def test_escapes_of_json_pointers_are_read():
    body = {**BODY, "labels": {"a/b~c": "1"}}

    assert equal(body, {**BODY, "labels": {"a/b~c": "2"}}, Matching(ignore=("/labels/a~1b~0c",)))


def test_chat_messages_are_reached():
    one, other = ({"model": "m", "messages": [{"role": "user", "content": text}]} for text in "ab")
    path = "/v1beta/openai/chat/completions"

    assert match_key(entry(one, path), Matching(ignore=("/messages/*/content",))) == match_key(
        entry(other, path), Matching(ignore=("/messages/*/content",))
    )


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("iso-date", "on 2026-11-30", "on 2025-01-02"),
        ("iso-date", "at 2026-11-30T10:20:30.123Z.", "at 2025-01-02T01:02:03+02:00."),
        ("iso-date", "at 2026-11-30 10:20:30", "at 2025-01-02 10:20"),
        ("uuid", "id 3f2b8c1e-0000-4000-8000-0123456789ab", "id FFFFFFFF-0000-4000-8000-0123456789AB"),
        ("epoch", "since 1796000000", "since 1700000000123"),
        ("epoch", "since 1796000000.25 s", "since 1500000000 s"),
    ],
)
def test_filter_takes_what_it_is_named_after_for_equal(name: str, one: str, other: str):
    bodies = [changed("contents", 0, "parts", 0, "text", to=text) for text in (one, other)]

    assert equal(*bodies, Matching(filters=(name,)))
    for another in FILTERS.keys() - {name}:
        assert not equal(*bodies, Matching(filters=(another,)))


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("iso-date", "2026-13-30", "2026-14-30"),
        ("iso-date", "12026-11-30", "12026-11-29"),
        ("iso-date", "2026-11-30 and more", "2026-11-30 and less"),
        ("uuid", "a3f2b8c1e-0000-4000-8000-0123456789ab", "b3f2b8c1e-0000-4000-8000-0123456789ab"),
        ("epoch", "order 4915550100", "order 4915550101"),
        ("epoch", "17960000001", "17960000002"),
        ("epoch", "1.1796000000", "1.1796000001"),
    ],
)
def test_filter_leaves_everything_else(name: str, one: str, other: str):
    bodies = [changed("contents", 0, "parts", 0, "text", to=text) for text in (one, other)]

    assert not equal(*bodies, Matching(filters=(name,)))


def test_epoch_is_met_in_numbers_and_no_other_number_is():
    at = ("contents", 1, "parts", 0, "functionCall", "args", "at")
    matching = Matching(filters=("epoch",))

    assert equal(BODY, changed(*at, to=1796000001), matching)
    assert equal(BODY, changed(*at, to=1796000001.5), matching)
    assert not equal(BODY, changed(*at, to=5), matching)
    assert not equal(changed(*at, to=True), changed(*at, to=False), matching)


def test_pattern_ignores_a_part_of_a_text_and_no_more():
    matching = Matching(patterns=(r"run-\d+",))
    bodies = [
        changed("contents", 0, "parts", 0, "text", to=text) for text in ("run-1 a", "run-22 a", "run-1 b")
    ]

    assert equal(bodies[0], bodies[1], matching)
    assert not equal(bodies[0], bodies[2], matching)


def test_images_are_not_searched():
    bodies = [
        {"contents": [{"parts": [{"inlineData": {"mimeType": "image/png", "data": data}}]}]}
        for data in ("AAAA", "BBBB")
    ]

    assert not equal(*bodies, Matching(patterns=("[AB]{4}",)))


@given(BODIES, BODIES)
def test_no_difference_is_one_key_whatever_is_ignored(one: Any, other: Any):
    everything = Matching(
        ("/contents/*/parts/*/text", "/generationConfig", "/tools/*"), ("[a-m]+",), tuple(FILTERS)
    )

    equal(one, other, everything)


@given(BODIES)
def test_ignoring_nothing_is_the_same_as_no_matching(body: Any):
    assert match_key(entry(body), Matching()) == match_key(entry(body))


@given(BODIES, st.sampled_from(["/no such key", "/contents/99", "/generationConfig/no such key/*"]))
def test_pointer_to_nothing_changes_nothing(body: Any, pointer: str):
    """Only that an instruction without content is as good as none."""
    forms = [match_form(entry(body), matching) for matching in (EVERYTHING, Matching(ignore=(pointer,)))]
    for form in forms:
        if form.get("systemInstruction") == {}:
            del form["systemInstruction"]

    assert forms[0] == forms[1]


@given(st.text(), st.text())
def test_ignored_text_never_counts_and_its_neighbour_always_does(one: str, other: str):
    matching = Matching(ignore=("/contents/0/parts/0/text",))
    bodies = [{"contents": [user(text), user("fixed")]} for text in (one, other)]
    assert equal(*bodies, matching)

    bodies = [{"contents": [user("fixed"), user(text)]} for text in (one, other)]
    assert equal(*bodies, matching) == (one == other)


@given(st.text(), st.text())
def test_ignored_text_of_the_model_never_counts_even_where_it_is_empty(one: str, other: str):
    bodies = [{"contents": [user("a"), model_text(text)]} for text in (one, other)]

    assert equal(*bodies, Matching(ignore=("/contents/*/parts/*/text",)))


def test_histories_that_were_hashed_before_are_hashed_anew_for_other_ignores():
    """The digests are kept on the turns, which all matchings share."""
    tree = TurnTree()
    requests = [Request("POST", PATH, body=json.dumps({"contents": [user(text)]}).encode()) for text in "ab"]
    one, other = (entry_of(Exchange(request), Redactor(), tree) for request in requests)
    ignoring = Matching(ignore=("/contents/*/parts/*/text",))

    assert match_key(one) != match_key(other)
    assert match_key(one, ignoring) == match_key(other, ignoring) != match_key(one)
    assert match_key(one) != match_key(other)


def test_values_stay_as_they_are():
    form = {"role": "user", "parts": [{"text": "2026-11-30"}]}
    before = copy.deepcopy(form)

    kept = Matching(ignore=("/contents/0/role",), filters=("iso-date",)).of(form, CONTENT, "contents", "0")

    assert kept == {"parts": [{"text": "<iso-date>"}]}
    assert form == before


def test_plain_matching_gives_back_the_very_value():
    form = {"a": 1}

    assert EVERYTHING.of(form, UNKNOWN) is form
    assert EVERYTHING.tag == ""


def test_tags_tell_apart_what_is_ignored():
    matchings = [
        Matching(), Matching(("/a",)), Matching(("/a", "/b")), Matching(patterns=("/a",)), Matching(filters=("uuid",))
    ]  # fmt: skip

    assert len({matching.tag for matching in matchings}) == len(matchings)


def test_it_says_what_is_ignored():
    assert str(Matching()) == "nothing"
    assert str(Matching(("/a", "/b"), ("x",), ("uuid",))) == (
        "match-ignore: /a, /b; match-patterns: x; filters: uuid"
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"ignore": ("contents",)}, "no JSON Pointer"),
        ({"patterns": ("(",)}, "no regular expression"),
        ({"patterns": ("a*",)}, "matches the empty text"),
        ({"filters": ("date",)}, "no filter 'date'; there are iso-date, uuid, epoch"),
    ],
)
def test_what_cannot_be_ignored_is_refused(more: dict[str, Any], words: str):
    with pytest.raises(SetupError, match=words):
        Matching(**more)


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "run.db", [exchange([user("today is 2026-11-30")], model_text("fine"))])


def test_cassette_that_was_recorded_without_it_is_found_with_it(cassette: Path):
    """Stored keys are worked out anew by a reader that ignores something, and by a recorder for good."""
    asked = exchange([user("today is 2030-01-01")]).request
    dates = Matching(filters=("iso-date",))
    before = cassette.read_bytes()
    with Cassette.read(cassette, matching=dates) as reader:
        assert reader.numbers_for(reader.key(reader.request_entry(asked))) == [1]
    assert cassette.read_bytes() == before

    with Cassette.append_to(cassette, matching=dates) as recorder:
        recorder.add(exchange([user("today is 2031-01-01")], model_text("fine")))
        assert recorder.numbers_for(recorder.key(recorder.request_entry(asked))) == [1, 2]

    with Cassette.read(cassette) as reader:
        assert reader.numbers_for(reader.key(reader.request_entry(asked))) == []


def test_miss_names_the_first_place_that_counts(cassette: Path):
    asked = exchange([user("today is 2030-01-01")], generationConfig={"temperature": 0}).request
    with Cassette.read(cassette, matching=Matching(filters=("iso-date",))) as reader:
        request = reader.request_entry(asked)

        miss = explain(Lookup(reader), request, reader.key(request))

    assert miss.facts["pointer"] == "/generationConfig/temperature"
    assert "2030" not in miss.why
