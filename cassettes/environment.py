"""The variables that make clients talk to a door of ours instead of to Google."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

DUMMY_KEY: Final = "gemtape-replays"
"""What stands for a key where none is needed: SDKs refuse to start without one."""

_KEYS: Final = {
    "GEMINI_API_KEY": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "GOOGLE_GENERATIVE_AI_API_KEY": ("GOOGLE_GENERATIVE_AI_API_KEY",),
}
"""Each variable that gets a dummy key, with the variables that make one unnecessary."""
_OPENAI_KEYS: Final = {"OPENAI_API_KEY": ("OPENAI_API_KEY",)}


def client_variables(
    base_url: str, environ: Mapping[str, str], *, dummy_key: bool, openai: bool = False
) -> dict[str, str]:
    """The variables to add to a client's environment; those that it has already are kept where they do no harm.

    Args:
        base_url: where the door listens, with the path prefix that selects a cassette, if any.
        environ: the environment as it is.
        dummy_key: whether to make up an API key where there is none, as a replay wants.
        openai: whether to redirect OpenAI clients too: programs that talk to OpenAI itself must not be.
    """
    url = base_url.rstrip("/")
    added = {
        "GOOGLE_GEMINI_BASE_URL": url,
        "GOOGLE_VERTEX_BASE_URL": url,
        "GEMINI_API_BASE": f"{url}/v1beta",
        **_without_proxy(urlsplit(url).hostname or "", environ),
    }
    if openai:
        added["OPENAI_BASE_URL"] = f"{url}/v1beta/openai"
    if dummy_key:
        wanted = _KEYS | (_OPENAI_KEYS if openai else {})
        added |= {name: DUMMY_KEY for name, given in wanted.items() if not any(map(environ.get, given))}
    return added


def _without_proxy(host: str, environ: Mapping[str, str]) -> dict[str, str]:
    """A proxy of the user's would take requests to this very machine too, unless it is told not to.

    Some clients read the one spelling and some the other, so what only one of them says goes into both.
    """
    upper, lower = environ.get("NO_PROXY", ""), environ.get("no_proxy", "")
    return {"NO_PROXY": _gaining(host, upper or lower), "no_proxy": _gaining(host, lower or upper)}


def _gaining(host: str, listed: str) -> str:
    hosts = [item.strip() for item in listed.split(",") if item.strip()]
    return ",".join(hosts if host in hosts or "*" in hosts else [*hosts, host])
