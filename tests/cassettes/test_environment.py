"""What a client finds in its environment: where to go, no proxy on the way, and a key where it needs one."""

from __future__ import annotations

import pytest

from gemtape.cassettes.environment import DUMMY_KEY, client_variables

URL = "http://127.0.0.1:8090"


def test_base_urls_are_those_that_each_client_wants():
    added = client_variables(URL + "/refunds/", {}, dummy_key=False)

    assert added == {
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:8090/refunds",
        "GOOGLE_VERTEX_BASE_URL": "http://127.0.0.1:8090/refunds",
        "GEMINI_API_BASE": "http://127.0.0.1:8090/refunds/v1beta",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }


def test_openai_clients_are_redirected_only_on_request():
    added = client_variables(URL, {}, dummy_key=True, openai=True)

    assert added["OPENAI_BASE_URL"] == "http://127.0.0.1:8090/v1beta/openai"
    assert added["OPENAI_API_KEY"] == DUMMY_KEY
    assert not [name for name in client_variables(URL, {}, dummy_key=True) if name.startswith("OPENAI")]


@pytest.mark.parametrize(
    ("given", "made_up"),
    [
        ({}, {"GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"}),
        ({"GEMINI_API_KEY": ""}, {"GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"}),
        ({"GEMINI_API_KEY": "mine"}, {"GOOGLE_GENERATIVE_AI_API_KEY"}),
        ({"GOOGLE_API_KEY": "mine"}, {"GOOGLE_GENERATIVE_AI_API_KEY"}),
        ({"GOOGLE_GENERATIVE_AI_API_KEY": "mine"}, {"GEMINI_API_KEY"}),
    ],
)
def test_dummy_key_stands_only_where_no_key_is(given: dict[str, str], made_up: set[str]):
    added = client_variables(URL, given, dummy_key=True)

    assert {name for name in added if name.endswith("_KEY")} == made_up
    assert {added[name] for name in made_up} == {DUMMY_KEY}


def test_recording_makes_up_no_key():
    assert not [name for name in client_variables(URL, {}, dummy_key=False) if name.endswith("_KEY")]


@pytest.mark.parametrize(
    ("given", "upper", "lower"),
    [
        ({"NO_PROXY": "corp.example, .local"}, "corp.example,.local,127.0.0.1", None),
        ({"no_proxy": "corp.example"}, "corp.example,127.0.0.1", None),
        ({"NO_PROXY": "a", "no_proxy": "b"}, "a,127.0.0.1", "b,127.0.0.1"),
        ({"NO_PROXY": "127.0.0.1,a"}, "127.0.0.1,a", None),
        ({"NO_PROXY": "*"}, "*", None),
    ],
)
def test_hosts_without_a_proxy_gain_the_door(given: dict[str, str], upper: str, lower: str | None):
    """And keep what only one of the two spellings says."""
    added = client_variables(URL, given, dummy_key=False)

    assert (added["NO_PROXY"], added["no_proxy"]) == (upper, lower or upper)


def test_the_host_without_a_proxy_is_the_one_in_the_url():
    assert client_variables("http://[::1]:9", {}, dummy_key=False)["NO_PROXY"] == "::1"
