"""A function's result holds what looks like a credential.

What it finds
    In a functionResponse: a field named like one (password, api_key, access_token, client_secret and their like) with a
    text in it that is no mask, placeholder or plain URL, and values shaped like the keys and tokens of the usual services.
    JSON within a text is looked into. The recorder has replaced what it knows as a secret with ``REDACTED``; in such a
    field that counts as one. The setting ``secrets`` adds patterns.

Why it matters
    What a model was told it may repeat: to the user, into a later call, into a log. It also leaves the machine with every
    later request of the conversation.

Bad
    request [
        {"role": "user", "parts": [{"text": "Who is user 7?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "find_user", "args": {"id": 7}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "find_user", "response":
            {"name": "Asha", "password_hash": "$2b$12$R9h/cIPz0gi.URNNX3kh2O", "role": "admin"}}}]}
    ]

Good
    request [
        {"role": "user", "parts": [{"text": "Who is user 7?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "find_user", "args": {"id": 7}},
            "thoughtSignature": "EpwCCpkCAVSoXO4="}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "find_user", "response":
            {"name": "Asha", "role": "admin"}}}]}
    ]

How it happens, and how to mend it
    The tool returns a whole record, a configuration or the headers of a request. Return the fields that the model needs.

Severity
    warning.

Source
    The formats that the services publish for their keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ...cassettes.shapes import MARKER
from ..finding import Finding, Place, Scope, Severity, content_place
from ..rule import Rule, RunContext
from ..texts import Text, first_mark, mark, texts

NAME = "leaked-secret"
_FIELDS: Final = re.compile(
    r"(?:.*(?:password|passwd|passphrase|passwordhash|apikey|secretkey|privatekey|accesskey|signingkey|encryptionkey"
    r"|clientsecret|sharedsecret|accesstoken|refreshtoken|idtoken|authtoken|sessiontoken|bearertoken|apitoken"
    r"|secretaccesskey|connectionstring)|(?:.*(?:user|client|app|mfa|totp))?secret|setcookie|pinhash)\Z"
)
_MARKS: Final = (
    *(mark("an AWS access key", prefix, rf"\b{prefix}[0-9A-Z]{{16}}\b") for prefix in ("AKIA", "ASIA")),
    *(mark("a GitHub token", f"gh{kind}_", rf"\bgh{kind}_[0-9A-Za-z]{{36}}") for kind in "pousr"),
    mark("a GitHub token", "github_pat_", r"\bgithub_pat_[0-9A-Za-z_]{22}"),
    mark("a GitLab token", "glpat-", r"\bglpat-[0-9A-Za-z_-]{20}"),
    mark("a Slack token", "xox", r"\bxox[abeprs]-[0-9A-Za-z-]{10}"),
    *(mark("a Stripe key", f"k_{mode}_", rf"\b[rs]k_{mode}_[0-9A-Za-z]{{16}}") for mode in ("live", "test")),
    mark("an API key", "sk-", r"\bsk-(?:ant-|proj-)?[0-9A-Za-z_-]{32}"),
    mark("a Google API key", "AIza", r"\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])"),
    mark("a Google access token", "ya29.", r"\bya29\.[0-9A-Za-z_-]{20}"),
    mark("an npm token", "npm_", r"\bnpm_[0-9A-Za-z]{36}\b"),
    mark("a Hugging Face token", "hf_", r"\bhf_[0-9A-Za-z]{34}"),
    mark("a SendGrid key", "SG.", r"\bSG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}"),
    mark(
        "a JSON Web Token",
        ".eyJ",
        r"\beyJ[0-9A-Za-z_-]{10,2000}+\.eyJ[0-9A-Za-z_-]{10,2000}+\.[0-9A-Za-z_-]{10}",
    ),
    mark("a private key", "PRIVATE KEY", r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY"),
    *(
        mark(
            "an authorization header",
            f"{scheme} ",
            rf"\b{scheme} (?=[A-Za-z._~+/-]{{0,99}}[0-9])[0-9A-Za-z._~+/-]{{16}}",
        )
        for scheme in ("Bearer", "Basic")
    ),
    mark("a URL with a password", "://", rf"://[^\s:/@]{{1,100}}:(?!\*|{MARKER})[^\s:/@]{{3,100}}@"),
)
"""Keys and tokens of the usual services, and URLs with a password."""
_MASK: Final = re.compile(
    r"(?i:[*•x.\s-]+|[\[<({].*[\])>}]|redacted|masked|hidden|none|null|unset|true|false|required|optional|valid"
    r"|invalid|expired|changed|unchanged|string|text|\$\{.*|%\w+%|your[-_].*|https?://[^\s@?]*|(?:/[a-z_-]+)+/?)?\Z"
)
_SHORTEST: Final = 4
"""Characters of the shortest text that is taken for a credential."""
_MASKED_TAIL: Final = re.compile(r"[*•]{3,}")


def check(context: RunContext) -> Iterator[Finding]:
    """The first credential in each result, and how many there are."""
    patterns = _compiled(context.settings.secrets)
    for response in context.run.responses:
        found: dict[Place, str] = {}
        for text in texts(response.value.get("response")):
            what = _credential(text, patterns)
            if what:
                found.setdefault(text.place, what)
        if not found:
            continue
        place, what = next(iter(found.items()))
        more = f" and {len(found) - 1} more like it" if len(found) > 1 else ""
        yield Finding(
            NAME,
            Severity.WARNING,
            content_place(response.at.content, response.at.part, "functionResponse", "response", *place),
            f"the result of {response.named.name or '(unnamed)'} holds what looks like {what}{more}",
            scope=Scope.ONCE,
        )


def _credential(text: Text, patterns: tuple[re.Pattern[str], ...]) -> str:
    """What kind of credential a text looks like; empty where it looks like none."""
    shaped = first_mark(text.text, _MARKS)
    if shaped:
        return shaped.what
    if _is_named(text):
        return f"a credential in its field {text.key[:60]}"
    return "a configured secret" if any(pattern.search(text.text) for pattern in patterns) else ""


def _is_named(text: Text) -> bool:
    """Whether a field is named like a credential and holds more than a mask."""
    name = re.sub(r"[^a-z0-9]", "", text.key[:100].lower())
    if not _FIELDS.match(name):
        return False
    value = text.text.strip()
    if value == MARKER:
        return True
    return len(value) >= _SHORTEST and " " not in value and not _is_mask(value)


def _is_mask(value: str) -> bool:
    return bool(_MASK.match(value[:200])) or _MASKED_TAIL.search(value[:200]) is not None


@lru_cache(maxsize=8)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, patterns))


RULE = Rule(NAME, __doc__ or "", on_run=check)
