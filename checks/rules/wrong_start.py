"""The history starts with a call by the model.

What it finds
    The first contents are the model's and hold a functionCall. A history that starts with the model's text is fine.

Why it matters
    The API answers 400: a call turn has to come right after a user turn or after responses.

Bad
    request [
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Weather in Pune?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Pune"}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"celsius": 31}}}]}
    ]

How it happens, and how to mend it
    History trimming keeps the newest contents, and a side request (a loop detector, a summary) takes a slice of the
    history; either may begin in the middle of a turn. Cut in front of a prompt.

Severity
    error.

Source
    The 400's own wording, in public reports.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..apierrors import CALL_ORDER
from ..finding import Finding, Severity, content_place
from ..rule import Rule, RunContext

NAME = "wrong-start"


def check(context: RunContext) -> Iterator[Finding]:
    """A first run that is the model's and holds calls."""
    run = context.run
    if run.before is None and run.role == "model" and run.calls:
        yield Finding(
            NAME,
            Severity.ERROR,
            content_place(run.start),
            f"the history starts with the model's call {run.calls[0].name or '(unnamed)'}; no prompt leads to it",
            rejection=CALL_ORDER,
        )


RULE = Rule(NAME, __doc__ or "", on_run=check)
