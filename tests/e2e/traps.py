"""What a user of the clients has to know beside what the runs show: clients that were only read, and traps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Read:
    """A client that no run drives: how it is told its base URL stands in its source.

    Attributes:
        name: what it is called, with the version that was read.
        base_url: the line by which a user sets the base URL.
        note: what else a user has to know about it.
    """

    name: str
    base_url: str
    note: str = ""


_LINE: Final = "export GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8090"

READ: Final = (
    Read("java-genai 1.43", _LINE, 'In code: `HttpOptions.builder().baseUrl("http://127.0.0.1:8090")`.'),
    Read(
        "ADK for Java (java-genai 1.58)",
        _LINE,
        "It has no option of its own; in code, a `Client` with `HttpOptions` goes into `Gemini.builder().apiClient(…)`.",
    ),
    Read("go-genai 1.69", _LINE, 'In code: `genai.HTTPOptions{BaseURL: "http://127.0.0.1:8090"}`.'),
)

TRAPS: Final = """\
- **A key has to be there**: no SDK starts without one. For a replay any text will do; `gemtape replay … -- COMMAND` sets one
  where there is none.
- **The version**: LiteLLM and the AI SDK want `/v1beta` at the end of the base URL, OpenAI clients `/v1beta/openai`. All others
  add the version themselves and must not be given one.
- **Variables that are not read**: the AI SDK reads no base URL from the environment, LiteLLM only `GEMINI_API_BASE`. A client
  that was not reached goes to Google, past the recording.
- **A query in the base URL** breaks google-genai for Node, which puts the path behind it. Select cassettes by path.
- **Vertex by environment**: with `GOOGLE_GENAI_USE_VERTEXAI`, google-genai and ADK for Python ignore `GOOGLE_VERTEX_BASE_URL`,
  and with project and location from the environment only they post to the bare base URL; give
  `genai.Client(vertexai=True, project=…, location=…)` in code ([Vertex](endpoints.md#vertex)).
- **Vertex offline**: access tokens are fetched from Google, never through the base URL, so a replay needs an express key, or
  credentials that ask nobody.
- **A proxy of your own**: with `HTTP_PROXY` or `ALL_PROXY` set, Python clients send requests for 127.0.0.1 to it, too, unless
  `NO_PROXY` has the host as it is spelled in the base URL (`localhost` does not cover 127.0.0.1); beside a command that is set.
- **Node and `HTTPS_PROXY`**: Node 20 ignores it, and goes to Google past [forward mode](forward.md); Node 24 honours it with
  `NODE_USE_ENV_PROXY=1`. The base URL works on both.
- **Streams on the OpenAI-compatible path**: the thought signature comes in `extra_content` of a tool call's delta, and whoever
  puts the message together has to copy it, or the next request is refused ([chat completions](chat-completions.md)).
- **The history in the AI SDK**: from ai 7 on `response.messages` is what the last step said, and `responseMessages` what all
  steps said; with the former the calls are missing from the next request, which is refused.
- **`--pace` and aiohttp**: on aiohttp a timeout of google-genai is for the whole answer and not for each read, so a replay at the
  recorded pace can run into it; by default replays do not wait.
- **Call ids that are made up**: Pydantic AI, LiteLLM and the AI SDK invent ids where the API gave none, others in every run; ids
  take no part in matching.
- **Uploads**: only some clients send the bytes below their base URL, so gemtape leads the others back to itself ([uploads](uploads.md)).
"""
"""As Markdown."""

FLOWS: Final = {
    "unary": "one question",
    "stream": "one question, streamed as events (`alt=sse`)",
    "array": "the same streamed as one JSON array, without `alt=sse`",
    "chat": "a conversation with tools, one call after the other, and another question at the end",
    "chat-stream": "the same, streamed",
    "parallel": "the same with both calls in one answer",
    "parallel-stream": "the same, streamed",
    "files": "a resumable upload, and a question about the file",
    "embeddings": "the embeddings of two texts",
    "count": "`countTokens`",
    "models": "the list of models, page by page",
}
"""What each flow is."""
