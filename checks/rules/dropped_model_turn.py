"""The request goes on from a recorded exchange, but the model's answer to it is missing.

What it finds
    The client's own contents begin with those of an earlier request of this cassette, and where the answer to that one
    should stand, the next content is the client's again. Only a recording can show this.

Why it matters
    Where the answer held calls, their responses are orphans and the API answers 400. Where it was text, nothing is
    refused: the model just no longer knows what it said, and the conversation loses its thread.

Bad
    request [{"role": "user", "parts": [{"text": "Name a moss."}]}]
    answer {"role": "model", "parts": [{"text": "Sphagnum."}]}
    request [
        {"role": "user", "parts": [{"text": "Name a moss."}]},
        {"role": "user", "parts": [{"text": "Where does it grow?"}]}
    ]

Good
    request [{"role": "user", "parts": [{"text": "Name a moss."}]}]
    answer {"role": "model", "parts": [{"text": "Sphagnum."}]}
    request [
        {"role": "user", "parts": [{"text": "Name a moss."}]},
        {"role": "model", "parts": [{"text": "Sphagnum."}]},
        {"role": "user", "parts": [{"text": "Where does it grow?"}]}
    ]

How it happens, and how to mend it
    History trimming counts messages and cuts model turns; a converter skips contents without text; the answer of a stream
    is never put together. Append the model's content before the next one, and cut histories only in front of a prompt.
    An answer that never arrived whole, or that held nothing, need not come back.

Severity
    error.

Source
    ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from collections.abc import Iterator

from ..finding import Finding, Severity
from ..ledger import Record
from ..rule import Rule, RunContext

NAME = "dropped-model-turn"


def check(context: RunContext) -> Iterator[Finding]:
    """Places where a recorded answer should stand."""
    for lost in context.lost:
        yield Finding(
            NAME,
            Severity.ERROR,
            lost.place,
            f"the answer of exchange {lost.record.number} ({_gist(lost.record)}) should stand here; it is missing",
        )


def _gist(record: Record) -> str:
    calls = [call.get("name") or "(unnamed)" for call in record.answer.calls]
    return "calls " + ", ".join(map(str, calls)) if calls else "text"


RULE = Rule(NAME, __doc__ or "", on_run=check)
