from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gemtape.cassettes.routes import Surface, parse_route
from gemtape.checks import apierrors
from gemtape.checks.target import Target, model_version

GEMINI_API, VERTEX, CODE_ASSIST = (
    Target(surface, "gemini-3-pro", model_version("gemini-3-pro"))
    for surface in (Surface.GEMINI_API, Surface.VERTEX, Surface.CODE_ASSIST)
)


def test_a_missing_signature_counts_contents_from_one():
    assert "`default_api:f` , position 3." in apierrors.missing_signature(GEMINI_API, "f", 2)
    assert "`f` in the 3. content block" in apierrors.missing_signature(VERTEX, "f", 2)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            lambda target: apierrors.undecodable_signature(target, 1, 0, "!"),
            "Invalid value at '{}contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"!\"",
        ),
        (
            lambda target: apierrors.undecodable_signature(target, 1, 0, 17),
            "Invalid value at '{}contents[1].parts[0].thought_signature' (TYPE_BYTES), 17",
        ),
        (
            lambda target: apierrors.unknown_field(target, "contents[1].parts[0].function_call", "x"),
            "Invalid JSON payload received. Unknown name \"x\" at '{}contents[1].parts[0].function_call': Cannot find field.",
        ),
    ],
)
def test_json_faults_give_the_path_in_the_body(make: Callable[[Target], str], expected: str):
    """On Code Assist the request is wrapped, and so is the path."""
    assert make(GEMINI_API) == make(VERTEX) == expected.format("")
    assert make(CODE_ASSIST) == expected.format("request.")


def test_long_values_are_cut():
    assert len(apierrors.undecodable_signature(GEMINI_API, 0, 0, "!" * 10_000)) < 400
    assert len(apierrors.undecodable_signature(GEMINI_API, 0, 0, ["!" * 10_000])) < 400


@pytest.mark.parametrize(
    ("make", "path"),
    [
        (apierrors.no_contents, "contents: contents is not specified"),
        (
            lambda target: apierrors.no_parts(target, 1),
            "contents[1].parts: contents.parts must not be empty.",
        ),
        (
            lambda target: apierrors.no_data(target, 1, 2),
            "contents[1].parts[2].data: required oneof field 'data'",
        ),
    ],
)
def test_faults_of_the_message_differ_by_surface(make: Callable[[Target], str], path: str):
    assert make(GEMINI_API).startswith(f"* GenerateContentRequest.{path}")
    assert make(GEMINI_API).endswith("\n")
    assert make(VERTEX).startswith("Unable to submit request because ")
    assert make(CODE_ASSIST).startswith(f"The GenerateContentRequest proto is invalid:\n  * {path}")


def test_names_are_refused_at_their_place():
    assert apierrors.empty_response_name(GEMINI_API, 2, 0) == (
        "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n"
    )
    assert apierrors.invalid_function_name(GEMINI_API, 0, 3).startswith(
        "* GenerateContentRequest.tools[0].function_declarations[3].name: [FIELD_INVALID] Invalid function name."
    )
    assert apierrors.duplicate_declaration("f") == "Duplicate function declaration found: f"


@pytest.mark.parametrize(
    ("role", "begins"), [("tool", "Role 'tool' is not"), ("system", "Please use a valid role:")]
)
def test_roles(role: str, begins: str):
    assert apierrors.invalid_role(role).startswith(begins)


def test_a_history_that_ends_with_the_model():
    assert apierrors.trailing_model_turn(GEMINI_API).endswith("unless the last part is a function response.")
    assert apierrors.trailing_model_turn(VERTEX) == "Requests ending with a model turn are not supported."


def test_the_body_of_an_error():
    route = parse_route("/v1beta/models/m:generateContent")

    assert json.loads(apierrors.error_body(route, "", "no")) == {
        "error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}
    }
    assert json.loads(apierrors.error_body(route, "", "ö", 412, "FAILED"))["error"] == {
        "code": 412,
        "message": "ö",
        "status": "FAILED",
    }


@pytest.mark.parametrize(
    ("path", "query", "wrapped"),
    [
        ("/v1beta/models/m:generateContent", "", False),
        ("/v1beta/models/m:streamGenerateContent", "alt=sse", False),
        ("/v1beta/models/m:streamGenerateContent", "key=x&alt=sse", False),
        ("/v1beta/models/m:streamGenerateContent", "", True),
        ("/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent", "", True),
        ("/v1internal:streamGenerateContent", "alt=sse", True),
        ("/v1internal:generateContent", "", False),
        ("/v1beta/openai/chat/completions", "", True),
    ],
)
def test_where_an_error_comes_in_a_list(path: str, query: str, wrapped: bool):
    route = parse_route(path)

    assert apierrors.wraps_errors(route, query) is wrapped
    assert isinstance(json.loads(apierrors.error_body(route, query, "no")), list) is wrapped
