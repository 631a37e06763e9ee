"""A signature that need not come back did not; on the parts of server-side tools it must.

What it finds
    Signatures of texts, thoughts, images and later calls that a recorded answer issued and the next request does not hold. It
    is said once, of the request that leaves them out first. Parts of server-side tools (toolCall, toolResponse, executableCode,
    codeExecutionResult) that came back without theirs are found again in every request of the same turn; that an older turn,
    which had come back whole, is thinned out later is no fault.

Why it matters
    Nothing is refused: signatures of texts are recommended, not required. But they carry what the model thought, and newer
    models read those of all turns. With server-side tools every part that the API returned has to go back unchanged.

Bad
    request {"contents": [{"role": "user", "parts": [{"text": "Find the ferry timetable and save the link."}]}],
        "tools": [{"googleSearch": {}}, {"functionDeclarations": [{"name": "save_link"}]}],
        "toolConfig": {"includeServerSideToolInvocations": true}}
    answer {"role": "model", "parts": [
        {"toolCall": {"id": "srv1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["ferry"]}},
            "thoughtSignature": "EgcMzS5yq5sI"},
        {"toolResponse": {"id": "srv1", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}, "thoughtSignature": "Eu2Jwh8sdOOW"},
        {"functionCall": {"name": "save_link", "args": {}}, "thoughtSignature": "Erd5qWEgDGKU"}]}
    request {"contents": [
        {"role": "user", "parts": [{"text": "Find the ferry timetable and save the link."}]},
        {"role": "model", "parts": [
            {"toolCall": {"id": "srv1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["ferry"]}}},
            {"toolResponse": {"id": "srv1", "toolType": "GOOGLE_SEARCH_WEB", "response": {}},
                "thoughtSignature": "Eu2Jwh8sdOOW"},
            {"functionCall": {"name": "save_link", "args": {}}, "thoughtSignature": "Erd5qWEgDGKU"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "save_link", "response": {"ok": true}}}]}],
        "tools": [{"googleSearch": {}}, {"functionDeclarations": [{"name": "save_link"}]}],
        "toolConfig": {"includeServerSideToolInvocations": true}}

Good
    request {"contents": [{"role": "user", "parts": [{"text": "Find the ferry timetable and save the link."}]}],
        "tools": [{"googleSearch": {}}, {"functionDeclarations": [{"name": "save_link"}]}],
        "toolConfig": {"includeServerSideToolInvocations": true}}
    answer {"role": "model", "parts": [
        {"toolCall": {"id": "srv1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["ferry"]}},
            "thoughtSignature": "EgcMzS5yq5sI"},
        {"toolResponse": {"id": "srv1", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}, "thoughtSignature": "Eu2Jwh8sdOOW"},
        {"functionCall": {"name": "save_link", "args": {}}, "thoughtSignature": "Erd5qWEgDGKU"}]}
    request {"contents": [
        {"role": "user", "parts": [{"text": "Find the ferry timetable and save the link."}]},
        {"role": "model", "parts": [
            {"toolCall": {"id": "srv1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["ferry"]}},
                "thoughtSignature": "EgcMzS5yq5sI"},
            {"toolResponse": {"id": "srv1", "toolType": "GOOGLE_SEARCH_WEB", "response": {}},
                "thoughtSignature": "Eu2Jwh8sdOOW"},
            {"functionCall": {"name": "save_link", "args": {}}, "thoughtSignature": "Erd5qWEgDGKU"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "save_link", "response": {"ok": true}}}]}],
        "tools": [{"googleSearch": {}}, {"functionDeclarations": [{"name": "save_link"}]}],
        "toolConfig": {"includeServerSideToolInvocations": true}}

How it happens, and how to mend it
    The client keeps texts as plain strings, reads a stream only up to its last text and misses the empty part behind it that
    carries the signature, or a gateway strips fields that it does not know. Put the model's content into the history as it
    came, empty parts included.

Severity
    info; error for parts of server-side tools on Gemini 3 and later. Signatures of calls that open a step, and those of image
    models, are missing-signature's.

Source
    ai.google.dev/gemini-api/docs/thought-signatures; ai.google.dev/gemini-api/docs/generate-content/tool-combination
"""

from __future__ import annotations

from collections.abc import Iterator

from ..conversation import PartAt
from ..finding import Finding, Scope, Severity, content_place
from ..parts import SERVER_SIDE, describe
from ..returned import IssuedPart, Returned
from ..rule import Rule, RunContext

NAME = "dropped-signature"


def check(context: RunContext) -> Iterator[Finding]:
    """Parts of server-side tools without their signature; then all others whose signature did not come back."""
    returned = context.returned
    if returned is not None and context.target.third_generation:
        # Older turns may be thinned out; a client that never returned a signature did not do that.
        thinned = context.ledger.came_back(returned.record)
        for issued, at in returned.pairs:
            if at is not None and _is_server_side(issued) and _is_dropped(returned, issued, at):
                yield Finding(
                    NAME,
                    Severity.ERROR,
                    content_place(at.content, at.part),
                    f"{describe(at.value)} has no thoughtSignature; exchange {returned.record.number} issued one with it",
                    scope=Scope.CURRENT_TURN if thinned else Scope.RETURN,
                )
    if not (context.target.third_generation and context.target.image):
        for answer in context.closed:
            yield from _optional(context, answer)


def _optional(context: RunContext, answer: Returned) -> Iterator[Finding]:
    found = {issued: at for piece in answer.pieces for issued, at in piece.pairs if at is not None}
    opening = next((part for part in answer.issued if part.call is not None), None)
    for issued in answer.issued:
        at = found.get(issued)
        required = context.target.third_generation and (_is_server_side(issued) or issued is opening)
        if required or not _is_dropped(answer, issued, at) or (at is None and issued.call is not None):
            continue
        yield Finding(
            NAME,
            Severity.INFO,
            content_place(at.content, at.part) if at else content_place(answer.run.start),
            f"the signature of {describe(issued.value)} of exchange {answer.record.number} did not come back",
            scope=Scope.ONCE,
        )


def _is_dropped(returned: Returned, issued: IssuedPart, at: PartAt | None) -> bool:
    """Whether an issued signature is nowhere in the answer that came back, and nothing stands in its place."""
    if issued.signature is None or issued.signature in returned.signatures:
        return False
    return at is None or at.value.get("thoughtSignature") in (None, "")


def _is_server_side(issued: IssuedPart) -> bool:
    return any(key in issued.value for key in SERVER_SIDE)


RULE = Rule(NAME, __doc__ or "", on_run=check)
