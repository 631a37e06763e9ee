from __future__ import annotations

from functools import reduce

import pytest

from gemtape.cassettes.positions import ROOT, Rule, enter, holds_secret_field, root_of, rule_of, within

PROTECTED = [
    "contents parts thoughtSignature",
    "contents parts thought_signature",
    "contents parts inlineData data",
    "contents parts inline_data data",
    "contents parts functionCall id",
    "contents parts function_call id",
    "contents parts functionResponse id",
    "contents parts functionResponse parts inlineData data",
    "contents parts toolCall id",
    "contents parts toolResponse id",
    "contents parts executableCode id",
    "system_instruction parts inlineData data",
    "content parts inlineData data",
    "candidates content parts thoughtSignature",
    "candidates content parts functionCall id",
    "request contents parts thoughtSignature",
    "response candidates content parts thoughtSignature",
    "generate_content_request contents parts inlineData data",
    "batch inputConfig requests requests request contents parts functionCall id",
    "response inlinedResponses inlinedResponses response candidates content parts thoughtSignature",
    "messages tool_call_id",
    "messages tool_calls id",
    "messages tool_calls extra_content google thought_signature",
    "messages extra_content google thought_signature",
    "messages content input_audio data",
    "choices message tool_calls id",
    "choices delta tool_calls id",
    "choices delta tool_calls extra_content google thought_signature",
    "input call_id",
    "input content data",
    "outputs signature",
    "steps id",
    "delta signature",
    "step signature",
    "interaction outputs signature",
    "predictions bytesBase64Encoded",
    "instances image bytesBase64Encoded",
    "instances lastFrame bytesBase64Encoded",
    "instances referenceImages referenceImage bytesBase64Encoded",
    "response videos bytesBase64Encoded",
    "response generateVideoResponse generatedSamples video encodedVideo",
    "metadata output inlinedResponses inlinedResponses response candidates content parts thoughtSignature",
    "data b64_json",
    "data embedding",
    "choices message audio data",
]
SCANNED = [
    "contents parts text",
    "contents parts functionCall name",
    "contents parts functionCall args data",
    "contents parts functionCall args id",
    "contents parts functionCall args thoughtSignature",
    "contents parts functionResponse response id",
    "contents parts functionResponse response parts inlineData data",
    "contents parts toolCall args id",
    "contents parts functionCall id id",
    "contents parts fileData fileUri",
    "contents data",
    "id",
    "data",
    "signature",
    "labels id",
    "access token",
    "generationConfig responseSchema properties access_token",
    "tools functionDeclarations parameters properties headers",
    "messages content",
    "messages tool_calls function arguments",
    "choices delta content",
    "input arguments id",
    "outputs result data",
    "delta text",
    "data url",
    "metadata note",
    "token",
    "value",
]
SECRET = [
    "access_token",
    "refresh_token",
    "client_secret",
    "id_token",
    "assertion",
    "new_signing_secret",
    "auth_token",
    "metadata access_token",
    "tools headers Authorization",
    "tools mcpServers streamableHttpTransport headers X-Key",
    "tools mcp_servers headers anything",
    "request tools mcpServers headers x",
]


def place(path: str):
    """The position that a path of keys leads to; lists between them change nothing."""
    return rule_of(reduce(lambda position, key: enter(within(position), key), path.split(), ROOT))


@pytest.mark.parametrize("path", PROTECTED)
def test_bytes_fields_and_call_ids_are_protected(path):
    assert place(path) is Rule.PROTECTED


@pytest.mark.parametrize("path", SCANNED)
def test_texts_and_user_data_are_scanned_whatever_their_keys(path):
    assert place(path) is Rule.SCANNED


@pytest.mark.parametrize("path", SECRET)
def test_credentials_are_secret_by_their_place(path):
    assert place(path) is Rule.SECRET


def nested(path: str, value):
    """The JSON value with a list around every object."""
    return reduce(lambda inner, key: [{key: inner}], reversed(path.split()), value)


@pytest.mark.parametrize("path", SECRET)
def test_secret_field_is_noticed_in_a_parsed_body(path):
    assert holds_secret_field(nested(path, "x"))


@pytest.mark.parametrize("path", [*PROTECTED, *SCANNED])
def test_other_fields_are_not(path):
    assert not holds_secret_field(nested(path, "x"))


@pytest.mark.parametrize("field", ["token", "value", "client_secret"])
def test_what_is_given_into_safekeeping_is_secret(field):
    for path in ("/v1beta/credentials", "/v1beta/credentials/c1"):
        assert rule_of(enter(root_of(path), field)) is Rule.SECRET
        assert holds_secret_field({field: "x"}, root_of(path))
    assert root_of("/v1beta/models/m:credentials") is ROOT
