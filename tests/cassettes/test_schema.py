"""Which keys are the API's, and which the user's."""

from __future__ import annotations

from gemtape.cassettes.fields import Kind
from gemtape.cassettes.schema import (
    FUNCTION_CALL,
    FUNCTION_RESPONSE,
    GENERATE,
    PART,
    PART_DATA,
    SCHEMA,
)


def test_user_data_is_opaque():
    opaque = [FUNCTION_CALL.fields["args"], FUNCTION_RESPONSE.fields["response"], GENERATE.fields["labels"]]

    assert {field.kind for field in opaque} == {Kind.OPAQUE}


def test_members_of_the_data_oneof():
    assert (
        *("text", "inlineData", "fileData", "functionCall", "functionResponse"),
        *("toolCall", "toolResponse", "executableCode", "codeExecutionResult"),
    ) == PART_DATA
    assert PART.fields["thoughtSignature"].kind is Kind.SIGNATURE


def test_schemas_nest():
    assert SCHEMA.fields["items"].message is SCHEMA
    assert SCHEMA.fields["properties"].mapped
