"""What a request offers the model besides its own function declarations."""

from __future__ import annotations

from typing import Final

from .rule import RequestContext

SERVER_SIDE: Final = frozenset(
    {"googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext", "googleMaps", "fileSearch"}
)
"""Tools that the API runs itself. computerUse is none of them: its calls go to the client, as functions do."""

_OWN_FUNCTIONS: Final = frozenset({"mcpServers", "computerUse"})


def server_side_tools(context: RequestContext) -> list[str]:
    """The tools of a request that the API runs itself."""
    return [name for tool in context.tools if isinstance(tool, dict) for name in tool if name in SERVER_SIDE]


def declares_elsewhere(context: RequestContext) -> bool:
    """Whether there may be functions that the tools do not show: of cached content, tool servers, computer use.

    Chat completions may have them in ``functions``, as they once were declared.
    """
    if context.settings.get("cachedContent") or context.settings.get("functions"):
        return True
    return any(tool.keys() & _OWN_FUNCTIONS for tool in context.tools if isinstance(tool, dict))


def validates_by_default(context: RequestContext) -> bool:
    """Whether a mode that is not set means VALIDATED: beside server-side tools and with structured output."""
    config = context.settings.get("generationConfig")
    structured = isinstance(config, dict) and (
        "responseSchema" in config
        or "responseJsonSchema" in config
        or config.get("responseMimeType") == "application/json"
    )
    return structured or bool(server_side_tools(context))
