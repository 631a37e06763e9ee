"""The API's own words for what it refuses with 400, and the error body around them.

Wordings as reported from the field; the Gemini API and Vertex differ (protocol: messages of INVALID_ARGUMENT).
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from ..cassettes.routes import Route, Surface
from .target import Target

_SIGNATURE_PAGE: Final = "https://ai.google.dev/gemini-api/docs/thought-signatures"
_VERTEX_PAGE: Final = "https://cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures"
COUNT: Final = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
CALL_ORDER: Final = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
RESPONSE_ORDER: Final = (
    "Please ensure that function response turn comes immediately after a function call turn."
)

SUBSET: Final = "allowed_function_names should be a subset of the provided function_declarations"
CACHED: Final = (
    "Tool config, tools and system instruction should not be set in the request when using cached content."
)
BUILT_IN: Final = "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling."
BUILT_IN_BEFORE_3: Final = "Tool use with function calling is unsupported"
_SHOWN: Final = 200
"""Characters of a faulty value that an error repeats."""
_ROLES_OF_RESPONSES: Final = frozenset({"function", "tool"})
_VERTEX_INPUT_PAGE: Final = "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini"
_VERTEX_NO_PARTS: Final = (
    "Unable to submit request because it must include at least one parts field, which describes the prompt input. "
    f"Learn more: {_VERTEX_INPUT_PAGE}"
)


def missing_signature(target: Target, function: str, content: int) -> str:
    """A call without its signature; `content` is its index in contents from 0, the API counts from 1."""
    if target.surface is Surface.VERTEX:
        return (
            f"Unable to submit request because function call `{function}` in the {content + 1}. content block is "
            f"missing a `thought_signature`. Learn more: {_VERTEX_PAGE}"
        )
    return (
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function "
        f"call `default_api:{function}` , position {content + 1}. Please refer to {_SIGNATURE_PAGE} for more details."
    )


def undecodable_signature(target: Target, content: int, part: int, value: object) -> str:
    """A signature that is not base64; long values are cut."""
    path = f"contents[{content}].parts[{part}].thought_signature"
    if target.surface is Surface.CODE_ASSIST:
        path = f"request.{path}"
    if isinstance(value, str):
        return f"Invalid value at '{path}' (TYPE_BYTES), Base64 decoding failed for \"{value[:_SHOWN]}\""
    return f"Invalid value at '{path}' (TYPE_BYTES), {str(value)[:_SHOWN]}"


def invalid_role(role: str) -> str:
    """A role other than user and model; the long form was reported for the roles that once held responses."""
    if role in _ROLES_OF_RESPONSES:
        return (
            f"Role '{role}' is not supported. Please use a valid role: SYSTEM, SYSTEM_1, USER, ASSISTANT, DEVELOPER, "
            "CONTEXT, USER_CONTEXT, MODEL, USER."
        )
    return "Please use a valid role: user, model."


def trailing_model_turn(target: Target) -> str:
    """A history that ends with the model."""
    unless = "" if target.surface is Surface.VERTEX else " unless the last part is a function response"
    return f"Requests ending with a model turn are not supported{unless}."


def no_contents(target: Target) -> str:
    """A request without contents."""
    if target.surface is Surface.VERTEX:
        return (
            "Unable to submit request because at least one contents field is required. Learn more: "
            f"{_VERTEX_INPUT_PAGE}"
        )
    return _proto_fault(target, "contents", "contents is not specified")


def no_parts(target: Target, content: int) -> str:
    """A content without parts."""
    if target.surface is Surface.VERTEX:
        return _VERTEX_NO_PARTS
    return _proto_fault(target, f"contents[{content}].parts", "contents.parts must not be empty.")


def no_data(target: Target, content: int, part: int) -> str:
    """A part without data."""
    if target.surface is Surface.VERTEX:
        return _VERTEX_NO_PARTS
    return _proto_fault(
        target,
        f"contents[{content}].parts[{part}].data",
        "required oneof field 'data' must have one initialized field",
    )


def unknown_field(target: Target, path: str, name: str) -> str:
    """A field that the API does not know; `path` leads to the object that holds it, in the API's spelling."""
    if target.surface is Surface.CODE_ASSIST:
        path = f"request.{path}"
    return f"Invalid JSON payload received. Unknown name \"{name}\" at '{path}': Cannot find field."


def invalid_function_name(target: Target, tool: int, declaration: int) -> str:
    """A declaration whose name breaks the rules for names."""
    return _proto_fault(
        target,
        f"tools[{tool}].function_declarations[{declaration}].name",
        "[FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or "
        "contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.",
    )


def duplicate_declaration(name: str) -> str:
    """Two declarations of one function."""
    return f"Duplicate function declaration found: {name}"


def empty_response_name(target: Target, content: int, part: int) -> str:
    """A response without a name."""
    return _proto_fault(
        target, f"contents[{content}].parts[{part}].function_response.name", "Name cannot be empty."
    )


def _proto_fault(target: Target, path: str, fault: str) -> str:
    if target.surface is Surface.CODE_ASSIST:
        return f"The GenerateContentRequest proto is invalid:\n  * {path}: {fault}"
    return f"* GenerateContentRequest.{path}: {fault}\n"


def error_body(
    route: Route, query: str, message: str, code: int = 400, status: str = "INVALID_ARGUMENT"
) -> bytes:
    """The JSON body of an error, wrapped in a list where the API does so."""
    body: Any = {"error": {"code": code, "message": message, "status": status}}
    if wraps_errors(route, query):
        body = [body]
    return orjson.dumps(body, option=orjson.OPT_INDENT_2) + b"\n"


def wraps_errors(route: Route, query: str) -> bool:
    """Whether the API puts its error into a list of one: array streams, chat completions, Code Assist streams."""
    if route.surface is Surface.OPENAI:
        return True
    if not route.streams:
        return False
    return route.surface is Surface.CODE_ASSIST or "alt=sse" not in query.split("&")
