"""What the table of clients is made of: a client, its limits, and what each flow gives.

The contract of a program in ``programs/``:

- It is called ``PROGRAM FLOW``, or ``PROGRAM FLOW KIND`` where the client has a kind, in an environment of its own.
- It is written as a user of that client would write it. It finds its base URL in the variable that the client itself
  reads; a client that reads none takes it from what `gemtape … -- COMMAND` sets: ``GOOGLE_GEMINI_BASE_URL`` (the door's base URL),
  ``GEMINI_API_BASE`` (the same with ``/v1beta``), ``OPENAI_BASE_URL`` (with ``/v1beta/openai``). The key is in
  ``GEMINI_API_KEY``, ``GOOGLE_GENERATIVE_AI_API_KEY`` and ``OPENAI_API_KEY``.
- It prints one JSON object as the last line of its output: ``version`` (the client's own, one text) and ``result`` (what the flow
  gave, as `RESULTS` has it). A program that gives another result than `RESULTS` has a `Limit` that says so.
- It uses the models, texts and tools of `RESULTS` and of the transcript ``flows/FLOW.jsonl``, which the upstream plays.
- A program whose client has `new` flows asks about ``CITY`` instead of Pune where that variable is set, and gets ``CELSIUS`` degrees
  from its tool instead of 31.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

MODEL: Final = "gemini-3-pro-preview"
EMBEDDING_MODEL: Final = "gemini-embedding-001"

_TALK: Final = {
    "texts": ["31 degrees, and it is noon.", "You are welcome."],
    "calls": ["get_weather Pune", "get_time Asia/Kolkata"],
}
"""After "Weather and time in Pune?" and "Thank you.", with the tools ``get_weather(city)``, which gives
``{"celsius": 31}``, and ``get_time(tz)``, which gives ``"12:00"``; `calls` in the order in which they ran: where a client
runs parallel calls at the same time, the program puts them into this order."""

RESULTS: Final[Mapping[str, Any]] = {
    # "Name a river in one word."
    "unary": {"text": "Bhimā."},
    # "Count to five."; the pieces joined, without thoughts
    "stream": {"text": "One, two… three, four, five."},
    # the same without alt=sse: one JSON array
    "array": {"text": "One, two… three, four, five."},
    # one call after the other, unary and streamed
    "chat": _TALK,
    "chat-stream": _TALK,
    # both calls in one answer; streamed, each in an event of its own
    "parallel": _TALK,
    "parallel-stream": _TALK,
    # a file of 25 bytes, `FILE_TEXT`, of type text/plain is uploaded; then the file and "Which river comes first?"
    "files": {"name": "files/6tq0w1h3m8zk", "text": "The Bhima."},
    # "Bhima" and "Krishna"
    "embeddings": {"values": [[0.25, -0.5, 0.125], [0.75, 0.0625, -0.375]]},
    # "How long am I?"
    "count": {"tokens": 5},
    # with a page size of 2, as the client names them, without a leading "models/"
    "models": {"names": ["gemini-3-pro-preview", "gemini-2.5-flash", "gemini-2.5-pro"]},
}
"""What each flow gives, whatever client runs it."""

FILE_TEXT: Final = "Bhima, Krishna, Godavari\n"


@dataclass(frozen=True)
class Limit:
    """What a client does by itself that others do not: told in the table, and asserted exactly.

    `sentence` stands in the documentation. `result` is what the flow gives instead (None: what it gives anyhow).
    `violations` are the rules that the report of the recording names above info, sorted, one for each violation.
    `transcript`, relative to ``flows/``, is what the upstream plays where the flow's own transcript cannot go on.
    """

    sentence: str
    result: Any = None
    violations: tuple[str, ...] = ()
    transcript: str = ""


@dataclass(frozen=True)
class Client:
    """One client, or one way of using it.

    Attributes:
        name: what it is called in the table; unique.
        language: ``python``, ``node`` or ``shell``.
        program: the file in ``programs/``.
        packages: what is installed, with bounds; the newest that the interpreter accepts is taken.
        flows: the flows that it runs.
        base_url: the line by which a user of it sets the base URL, as the documentation shows it.
        kind: the second argument of the program, empty for none.
        environment: the name of its environment, which clients with the same packages share; `name` where empty.
        book: the folder of transcripts in ``flows/``, where they are not those of the Gemini API: ``openai``.
        limits: by flow, what it does otherwise.
        new: the flows, all of them talks, that are also run with ``--mode new``.
        note: what else a user has to know about it, in one sentence.
    """

    name: str
    language: str
    program: str
    packages: tuple[str, ...]
    flows: tuple[str, ...]
    base_url: str
    kind: str = ""
    environment: str = ""
    book: str = ""
    limits: Mapping[str, Limit] = field(default_factory=dict)
    new: tuple[str, ...] = ()
    note: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """What follows the flow on the program's command line."""
        return (self.kind,) if self.kind else ()

    def transcript(self, flow: str) -> str:
        """The transcript that the upstream plays, relative to ``flows/``."""
        limit = self.limits.get(flow)
        return limit.transcript if limit and limit.transcript else f"{self.book}/{flow}.jsonl".lstrip("/")
