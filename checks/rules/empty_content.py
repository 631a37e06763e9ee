"""A request without contents, a content without parts, or a part without data.

What it finds
    contents that are missing or empty, contents whose parts are missing or empty, and parts that hold none of text, file,
    call, response or the like: nothing at all, or only a signature. Empty text is data.

Why it matters
    The API answers 400.

Bad
    request [
        {"role": "user", "parts": [{"text": "Hello"}]},
        {"role": "model", "parts": []},
        {"role": "user", "parts": [{"text": "Are you there?"}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Hello"}]},
        {"role": "user", "parts": [{"text": "Are you there?"}]}
    ]

How it happens, and how to mend it
    A converter drops the parts that it does not know and keeps the shell, or an answer that was blocked is put into the
    history. Leave out contents that say nothing. The empty text with which a stream carries its signature is fine.

Severity
    error.

Source
    The 400's own wording.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...cassettes.schema import CONTENT, PART, PART_DATA
from ..apierrors import no_contents, no_data, no_parts
from ..finding import Finding, Severity, content_place
from ..rule import RequestContext, Rule, RunContext

NAME = "empty-content"
_NO_DATA = PART.fields.keys() - {*PART_DATA, "audioTranscription"}
"""What says nothing by itself. A transcription is output whose place beside the audio nobody has seen for certain."""


def check(context: RunContext) -> Iterator[Finding]:
    """Contents without parts and parts without data."""
    for turn in context.run.contents:
        if turn.message is not CONTENT:
            continue
        content = turn.depth - 1
        if not turn.parts:
            told = "content has no parts" if isinstance(turn.normal, dict) else "content is no object"
            rejection = no_parts(context.target, content) if isinstance(turn.normal, dict) else ""
            yield Finding(NAME, Severity.ERROR, content_place(content), told, rejection=rejection)
        for index, part in enumerate(turn.parts):
            if _is_empty(part) and not _came_like_this(context, part):
                yield Finding(
                    NAME,
                    Severity.ERROR,
                    content_place(content, index),
                    "part holds a signature and nothing else"
                    if part and "thoughtSignature" in part
                    else "part holds nothing",
                    rejection=no_data(context.target, content, index),
                )


def check_request(context: RequestContext) -> Iterator[Finding]:
    """A request without contents."""
    layout = context.entry.layout
    if not (context.run is None or layout.history.message is not CONTENT):
        return
    body = context.entry.raw_body
    if layout.envelope is None and body:
        told, rejection = "the body is no JSON, or nested too deep to be read: no contents", ""
    else:
        sent = layout.settings.get("contents")
        told = "no contents" if not sent else "contents is no list of contents"
        rejection = "" if sent else no_contents(context.target)
    yield Finding(NAME, Severity.ERROR, ("contents",), told, rejection=rejection)


def _is_empty(part: Any) -> bool:
    """Whether a part holds nothing. A field that is not known may be data; what is no object at all is malformed."""
    return part is None or (isinstance(part, dict) and part.keys() <= _NO_DATA)


def _came_like_this(context: RunContext, part: Any) -> bool:
    """Whether the model issued its signature on such a part: echoing it is what the API asks for."""
    signature = part.get("thoughtSignature") if isinstance(part, dict) else None
    origin = context.ledger.by_signature(signature) if isinstance(signature, str) else None
    return origin is not None and _is_empty(origin.record.answer.parts[origin.part])


RULE = Rule(NAME, __doc__ or "", on_run=check, on_request=check_request)
