"""The API refused the request with 400.

What it finds
    Every answer with status 400, and a 400 that comes as an error inside a stream. The message says which finding of
    another rule explains it, going by the API's own words, or that none does.

Why it matters
    A 400 comes again however often the request is repeated: the history has to be mended.

Bad
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]
    answer {"error": {"code": 400, "message": "Function call is missing a thought_signature in functionCall parts.",
        "status": "INVALID_ARGUMENT"}}
    status 400

Good
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]
    answer {"role": "model", "parts": [{"text": "31 degrees."}]}

How it happens, and how to mend it
    See the rule that the message names. Where none is named, the API's message is all there is to go by.

Severity
    error.

Source
    ai.google.dev/gemini-api/docs/generate-content/api-errors
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...cassettes.entry import Entry
from ..finding import Finding, Place, Severity
from ..refusals import concerns_account, rules_spoken_of
from ..rule import RequestContext, Rule
from ..spelling import pointer_as_sent

NAME = "rejected-request"
_REFUSED: Final = 400
_LONGEST: Final = 300


def check(context: RequestContext) -> Iterator[Finding]:
    """A 400, and what explains it."""
    entry, error = context.entry, context.entry.answer.error or {}
    code, said = error.get("code"), error.get("message")
    if _REFUSED not in (entry.status, code):
        return
    message = " ".join(said.split()) if isinstance(said, str) else ""
    where = " in the middle of a stream" if entry.status != _REFUSED else ""
    words = f": {message[:_LONGEST]}{'…' if len(message) > _LONGEST else ''}" if message else ""
    yield Finding(
        NAME,
        Severity.ERROR,
        _place(entry),
        f"the API answered 400{where}{words} ({_explained(context, message)})",
        at="response",
    )


def _explained(context: RequestContext, message: str) -> str:
    """Which finding explains a refusal: one that its words speak of, else one that is known to be refused."""
    spoken_of = rules_spoken_of(message)
    found = [item for item in context.findings if item.severity is not Severity.INFO]
    for rule in spoken_of:
        for finding in found:
            if finding.rule == rule:
                return f"explained by {_told(context, finding)}"
    if concerns_account(message):
        return "this concerns the key or the account, not the history"
    suspects = [item for item in found if item.rejection or item.severity is Severity.ERROR]
    suspects.sort(key=lambda item: not item.rejection)
    return f"perhaps because of {_told(context, suspects[0])}" if suspects else "no other rule found a reason"


def _told(context: RequestContext, finding: Finding) -> str:
    return f"{finding.rule} at {pointer_as_sent(context.entry, finding.place)}"


def _place(entry: Entry) -> Place:
    """Where the error stands: the API puts it into a list of one in array streams."""
    body = entry.response.body.lstrip()[:1] if entry.response else b""
    return (0, "error") if body == b"[" and entry.status == _REFUSED else ("error",)


RULE = Rule(NAME, __doc__ or "", on_answer=check)
