"""Why a request has no recorded answer, in words that say what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gemtape.cassettes.lookup import Lookup, Repeat
from gemtape.cassettes.matchform import match_key
from gemtape.cassettes.matching import Matching
from gemtape.cassettes.misses import Miss, explain
from gemtape.cassettes.models import Exchange, Request
from gemtape.cassettes.store import Cassette
from tests.factories import MODEL, call, calls, cassette_of, exchange, model_text, result, results, user

FIRST = [user("refund ORD-100")]
SECOND = [*FIRST, calls(call("look", {"id": "ORD-100"})), results(result("look", {"total": 4599}))]
AGAIN = "gemtape record --replace run.db"


def explained(
    path: Path, item: Exchange, used: tuple[Exchange, ...] = (), repeat: Repeat = Repeat.LAST
) -> Miss:
    with Cassette.read(path) as cassette:
        lookup = Lookup(cassette, repeat)
        for served in used:
            assert lookup.take(match_key(cassette.request_entry(served.request)))
        entry = cassette.request_entry(item.request)
        return explain(lookup, entry, match_key(entry), again=AGAIN)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return cassette_of(tmp_path / "run.db", [exchange(FIRST), exchange(SECOND)])


def changed(contents: list[Any], total: int) -> list[Any]:
    return [*contents[:2], results(result("look", {"total": total}))]


def test_miss_names_the_exchange_the_place_both_values_and_the_command(run: Path):
    miss = explained(run, exchange(changed(SECOND, 4600)))

    assert miss.why == (
        "The nearest recorded exchange is 2, which was not served yet: contents 1 to 2 equal, content 3 part 1 differs "
        "at functionResponse.response.total: recorded 4599, got 4600 (kind: result; JSON Pointer: "
        "/contents/2/parts/0/functionResponse/response/total). If that differs in every run, match-ignore = "
        '["/contents/2/parts/0/functionResponse/response/total"] leaves it out. '
        "If the request is meant to be as it is now, record it "
        "again: gemtape record --replace run.db"
    )
    assert miss.facts == {
        "exchange": "2",
        "used": "false",
        "kind": "result",
        "pointer": "/contents/2/parts/0/functionResponse/response/total",
        "recorded": "4599",
        "got": "4600",
    }


def test_miss_says_whether_the_nearest_was_served(run: Path):
    miss = explained(run, exchange(changed(SECOND, 4600)), used=(exchange(SECOND),))

    assert "exchange is 2, which was already served:" in miss.why
    assert miss.facts["used"] == "true"


def test_further_differences_are_named_and_counted(run: Path):
    got = exchange(
        changed(SECOND, 1),
        generationConfig={"temperature": 1},
        safetySettings=[],
        labels={"a": "b"},
        cachedContent="c",
        serviceTier="d",
    )

    why = explained(run, got).why

    assert (
        "It differs in 4 more places: /cachedContent, /generationConfig/temperature, /labels/a, …. If the request"
        in why
    )


def test_used_up_answers_are_a_miss_of_their_own(run: Path):
    miss = explained(run, exchange(FIRST), used=(exchange(FIRST),), repeat=Repeat.ONCE)

    assert miss.why == (
        "Exchange 1 is recorded for it, and already used: served once each, and --repeat once serves nothing again. "
        "Either the request is sent once too often, or it has to be recorded as often as it is sent."
    )


def test_recorded_answer_that_was_held_back_is_said_to_be(run: Path):
    """The only one there is belongs to a request with a fault that this one does not have."""
    assert explained(run, exchange(FIRST)).why == (
        "Exchange 1 is recorded for it, but with a fault in the request that this one does not have."
    )


def test_cassette_with_nothing_like_it(run: Path):
    item = exchange([])
    miss = explained(run, type(item)(Request("GET", "/v1beta/files/a"), item.response))

    assert miss.why.startswith("No exchange of the cassette is anything like it. ")
    assert miss.facts == {}


def nearest_number(tmp_path: Path, recorded: list[Exchange], got: Exchange) -> str:
    return explained(cassette_of(tmp_path / "near.db", recorded), got).facts["exchange"]


def test_longest_common_history_is_nearest(tmp_path: Path):
    recorded = [exchange(FIRST), exchange(SECOND), exchange([*SECOND, model_text("done"), user("thanks")])]

    assert nearest_number(tmp_path, recorded, exchange([*SECOND, model_text("done"), user("bye")])) == "3"


def test_same_action_comes_before_another(tmp_path: Path):
    count = f"/v1beta/models/{MODEL}:countTokens"
    recorded = [exchange(SECOND, path=count), exchange(SECOND)]

    assert nearest_number(tmp_path / "a", recorded, exchange(changed(SECOND, 1))) == "2"
    assert nearest_number(tmp_path / "b", recorded, exchange(changed(SECOND, 1), path=count)) == "1"


def test_another_action_with_the_same_history_comes_before_a_stranger(tmp_path: Path):
    stream = f"/v1beta/models/{MODEL}:streamGenerateContent"
    recorded = [exchange([user("something else")], path=stream), exchange(SECOND)]

    assert nearest_number(tmp_path, recorded, exchange(SECOND, path=stream)) == "2"


def test_among_first_prompts_the_likeliest_is_nearest(tmp_path: Path):
    prompts = ["refund ORD-100", "cancel ORD-100", "refund ORD-101 in full", "hello"]
    recorded = [exchange([user(prompt)]) for prompt in prompts]

    assert nearest_number(tmp_path, recorded, exchange([user("refund ORD-102 in full")])) == "3"


def test_history_that_lost_its_model_turn_is_nearest_to_the_whole_one(run: Path):
    miss = explained(run, exchange([SECOND[0], SECOND[2]]))

    assert "content 1 equal, the request lacks content 2 of the recording" in miss.why


def test_exchange_not_served_yet_comes_first_among_equals(tmp_path: Path):
    """Recorded twice, served once."""
    path = cassette_of(tmp_path / "run.db", [exchange(FIRST), exchange(FIRST)])

    miss = explained(path, exchange([user("refund ORD-101")]), used=(exchange(FIRST),))

    assert miss.facts["exchange"] == "2"


def test_bodies_that_are_no_json_can_be_explained(run: Path):
    request = Request("POST", f"/v1beta/models/{MODEL}:generateContent", body=b"\xff")

    assert "the body differs: recorded " in explained(run, Exchange(request)).why


def test_what_stands_in_the_words_is_short(run: Path):
    """A prompt of a megabyte is not printed."""
    miss = explained(run, exchange([user("x" * 1_000_000)]))

    assert len(miss.why) < 1000
    assert json.dumps(miss.facts)


def test_history_of_the_same_length_is_nearer_than_a_shorter_one_with_fewer_differences(tmp_path: Path):
    """A call by another name leaves its response without one, too: two places differ, and one content is missing."""
    later = [*FIRST, calls(call("look"), call("f")), results(result("look", {}), result("f", {}))]
    got = [*FIRST, calls(call("peek"), call("f")), results(result("look", {}), result("f", {}))]

    miss = explained(cassette_of(tmp_path / "near.db", [exchange(FIRST), exchange(later)]), exchange(got))

    assert miss.facts["exchange"] == "2"
    assert miss.facts["pointer"] == "/contents/1/parts/0/functionCall/name"


def test_places_that_can_be_ignored_are_offered_together_and_others_are_not(run: Path):
    both = exchange(changed(SECOND, 1), labels={"a": "b"})
    assert (
        'match-ignore = ["/contents/2/parts/0/functionResponse/response/total", "/labels/a"] leaves it out.'
        in explained(run, both).why
    )

    for item in (exchange(SECOND, model="gemini-3-flash"), exchange([*SECOND, user("more")])):
        assert "match-ignore" not in explained(run, item).why


def test_what_is_offered_to_be_ignored_makes_the_request_found(run: Path):
    item = exchange(changed(SECOND, 1), labels={"a/b": "c"})
    offered = json.loads(explained(run, item).why.partition("match-ignore = ")[2].partition(" leaves")[0])

    with Cassette.read(run, matching=Matching(tuple(offered))) as cassette:
        assert cassette.numbers_for(cassette.key(cassette.request_entry(item.request))) == [2]


def got(path: str, query: str = "") -> Exchange:
    return Exchange(Request("GET", path, query))


@pytest.fixture
def resources(tmp_path: Path) -> Path:
    polled = [got("/v1beta/batches/a"), got("/v1beta/batches/b"), got("/v1beta/files", "pageToken=2")]
    return cassette_of(tmp_path / "run.db", polled)


def test_another_resource_of_the_same_kind_is_named(resources: Path):
    miss = explained(resources, got("/v1beta/batches/c"))

    assert 'the resource differs: recorded "batches/a", got "batches/c"' in miss.why
    assert miss.facts["kind"] == "route"


def test_another_page_is_named(resources: Path):
    assert (
        'the query differs at pageToken: recorded "2", got "3"'
        in explained(resources, got("/v1beta/files", "pageToken=3")).why
    )


def test_a_resource_of_another_kind_is_not_near(resources: Path):
    miss = explained(resources, got("/v1beta/cachedContents/a"))

    assert miss.nearest is None
    assert miss.why.startswith("No exchange of the cassette is anything like it.")


def test_doubled_version_is_told(resources: Path):
    words = explained(resources, got("/v1beta/v1beta/files", "pageToken=2")).why

    assert "The path names its version twice, /v1beta/v1beta: the base URL" in words
    assert words.endswith(AGAIN)


def test_body_that_could_not_be_decoded_is_told(run: Path):
    request = Request(
        "POST", f"/v1beta/models/{MODEL}:generateContent", "", (("content-encoding", "dcb"),), b"\0"
    )

    assert (
        "Its body came encoded as 'dcb', which could not be decoded" in explained(run, Exchange(request)).why
    )
