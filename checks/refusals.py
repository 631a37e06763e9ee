"""Which rules an error message of the API speaks of.

The wordings are those that were reported from the field (see `apierrors`); they change, so only what is telling in them
is looked for.
"""

from __future__ import annotations

import re
from typing import Final

_SIGNATURES: Final = ("altered-signature", "moved-signature", "foreign-signature", "bypassed-signature")
_COUNTS: Final = ("unanswered-call", "orphan-response", "split-responses", "dropped-model-turn")
_SPOKEN_OF: Final = (
    (r"missing a .?thought_signature", ("missing-signature", "dropped-signature", *_SIGNATURES)),
    (r"thought signature|thought_signature", (*_SIGNATURES, "missing-signature")),
    (r"number of function response parts", _COUNTS),
    (r"function response turn comes immediately", ("orphan-response", "dropped-model-turn", *_COUNTS)),
    (
        r"function call turn comes immediately",
        ("wrong-start", "unanswered-call", "dropped-model-turn", "altered-model-turn"),
    ),
    (r"ending with a model turn|ends with a user role", ("trailing-model-turn",)),
    (r"valid role|can't contain 'function", ("wrong-role", "misplaced-part")),
    (r"function_response\.name|Name cannot be empty", ("mismatched-name", "invalid-declaration")),
    (
        (
            r"contents is not specified|must not be empty|field 'data'|contents field is required|parts field"
            r"|cannot be empty"
        ),
        ("empty-content",),
    ),
    (r"allowed_function_names", ("unusable-allowed-names",)),
    (r"Duplicate function declaration", ("duplicate-declaration",)),
    (
        r"function_declarations|Invalid function name|parameters\.properties",
        ("invalid-declaration", "duplicate-declaration"),
    ),
    (
        (
            r"include_server_side_tool_invocations|function calling is unsupported|context circulation"
            r"|without function_declarations|when using cached content"
        ),
        ("conflicting-config",),
    ),
    (
        r"Unknown name|Cannot find field|Invalid value at|must be an object",
        ("malformed-part", "conflicting-config"),
    ),
)
_PATTERNS: Final = tuple((re.compile(pattern, re.IGNORECASE), rules) for pattern, rules in _SPOKEN_OF)
_ACCOUNT: Final = re.compile(r"API key|location is not supported|billing|consumer", re.IGNORECASE)


def rules_spoken_of(message: str) -> tuple[str, ...]:
    """The rules whose findings an error message may be about, the likeliest first; none where it names something else."""
    return next((rules for pattern, rules in _PATTERNS if pattern.search(message)), ())


def concerns_account(message: str) -> bool:
    """Whether a refusal is about the key, the account or the place, and not about the request."""
    return _ACCOUNT.search(message) is not None
