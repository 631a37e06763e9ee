"""A declaration leaves the model to guess what the function does or what to pass.

What it finds
    A description that is missing or only repeats the name; parameters without a description; more than 8 optional
    parameters; a boolean parameter that changes what a call does (dryRun and its like); names that differ only in case or
    separators; more than 20 functions on one request.

Why it matters
    Name, description and schema are all that the model knows of a function. What they leave open it fills in, with calls
    that are valid and wrong. Among many optional parameters it sets some that nobody asked for; a switch such as dryRun
    turns a harmless call into a harmful one with a single value; between two similar names it picks either.

Bad
    tools [{"functionDeclarations": [{"name": "delete_order", "description": "Delete order.",
        "parameters": {"type": "OBJECT", "properties": {"id": {"type": "STRING"}, "dryRun": {"type": "BOOLEAN"}},
            "required": ["id"]}}]}]
    request [{"role": "user", "parts": [{"text": "Delete order 7."}]}]

Good
    tools [{"functionDeclarations": [
        {"name": "delete_order", "description": "Deletes an order for good; only after preview_order_deletion.",
            "parameters": {"type": "OBJECT", "properties": {
                "id": {"type": "STRING", "description": "Order number such as ORD-7."}}, "required": ["id"]}},
        {"name": "preview_order_deletion", "description": "Lists what deleting an order would remove; changes nothing.",
            "parameters": {"type": "OBJECT", "properties": {
                "id": {"type": "STRING", "description": "Order number such as ORD-7."}}, "required": ["id"]}}]}]
    request [{"role": "user", "parts": [{"text": "Delete order 7."}]}]

How it happens, and how to mend it
    Declarations are made from code whose comments say nothing, or a builder with many options becomes one function. Say
    what the function does and when to use it, describe each parameter with an example, and make two functions of one
    with a switch. Offer the functions that the task at hand needs, not all there are.

Severity
    info

Source
    ai.google.dev/gemini-api/docs/function-calling (best practices: descriptions, strong types, 10 to 20 tools at most)
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from ..finding import Finding, Place, Scope, Severity
from ..rule import RequestContext, Rule
from ..schemas import declared_schema

NAME: Final = "vague-declaration"
_MOST_FUNCTIONS: Final = 20
_MOST_OPTIONAL: Final = 8
_LISTED: Final = 5
_KNOWN: Final = "vague declarations"
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_A-Za-z]+")
_SAYING_NOTHING: Final = frozenset(
    {
        *(
            "a",
            "an",
            "and",
            "api",
            "by",
            "call",
            "calls",
            "do",
            "does",
            "for",
            "from",
            "function",
            "in",
            "is",
            "it",
        ),
        *(
            "method",
            "of",
            "on",
            "operation",
            "or",
            "perform",
            "performs",
            "s",
            "that",
            "the",
            "this",
            "to",
            "todo",
        ),
        *("tool", "use", "used", "uses", "with"),
    }
)
_SWITCHES: Final = frozenset(
    {
        *(
            "dryrun",
            "isdryrun",
            "noop",
            "simulate",
            "simulation",
            "preview",
            "previewonly",
            "validateonly",
            "checkonly",
        ),
        *(
            "testmode",
            "istest",
            "sandbox",
            "live",
            "force",
            "overwrite",
            "commit",
            "autocommit",
            "execute",
            "apply",
        ),
        *(
            "confirm",
            "confirmed",
            "skipconfirmation",
            "permanent",
            "permanently",
            "harddelete",
            "cascade",
            "rollback",
        ),
    }
)


def check(context: RequestContext) -> Iterator[Finding]:
    """What each declaration leaves open, and what is confusing about all of them together."""
    tools = context.entry.layout.tools
    known = tools.notes.get(_KNOWN)
    if known is None:
        known = tools.notes[_KNOWN] = [*_each(context), *_together(context)]
    yield from known


def _each(context: RequestContext) -> Iterator[Finding]:
    for tool, index, declaration in context.declarations:
        faults = list(_faults(declaration))
        if faults:
            name = str(declaration.get("name", "(unnamed)"))[:128]
            yield _finding(("tools", tool, "functionDeclarations", index), f"{name}: {'; '.join(faults)}")


def _faults(declaration: dict[str, Any]) -> Iterator[str]:
    description = declaration.get("description")
    if not isinstance(description, str) or not description.strip():
        yield "it has no description"
    elif _says_nothing(description, str(declaration.get("name", ""))):
        yield "its description only repeats the name"
    source = declaration.get("parametersJsonSchema", declaration.get("parameters"))
    named = source.get("properties") if isinstance(source, dict) else None
    named = named if isinstance(named, dict) else {}
    bare = [name for name, schema in named.items() if not _is_described(schema)]
    if bare:
        yield f"no description of {_listed(bare)}"
    written = declared_schema(declaration)
    properties = written.schema.get("properties", {}) if written else {}
    required = written.schema.get("required", []) if written else []
    optional = len(properties.keys() - set(required))
    if optional > _MOST_OPTIONAL:
        yield f"{optional} optional parameters, more than a model sets with care"
    switches = [name for name, schema in properties.items() if _is_switch(name, schema)]
    if switches:
        yield f"{_listed(switches)} changes what the call does: two functions would be safer"


def _together(context: RequestContext) -> Iterator[Finding]:
    names = context.declared_names
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[_bare(name)].append(name)
    for group in alike.values():
        if len(group) > 1:
            yield _finding(("tools",), f"{_listed(group)} differ only in case or separators")
    if len(names) > _MOST_FUNCTIONS:
        yield _finding(
            ("tools",), f"{len(names)} functions on one request; a model chooses well among {_MOST_FUNCTIONS}"
        )


def _says_nothing(description: str, name: str) -> bool:
    told = _spoken(name)
    return all(_stem(word) in told for word in _words(description) if word not in _SAYING_NOTHING)


def _spoken(name: str) -> set[str]:
    return set(map(_stem, _words(name)))


def _words(text: str) -> list[str]:
    """The words of a text or a name in lower case; letters beyond English ones are words of their own."""
    return [word.lower() for word in _WORDS.findall(text)]


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _is_described(schema: Any) -> bool:
    if not isinstance(schema, dict) or schema.keys() & {"$ref", "ref", "allOf"}:
        return True  # described where it leads to, or nothing to describe
    choices = [schema.get(key) for key in ("anyOf", "oneOf")]
    branches = [branch for found in choices if isinstance(found, list) for branch in found]
    described = (branch.get("description") for branch in (schema, *branches) if isinstance(branch, dict))
    return any(isinstance(description, str) and description.strip() for description in described)


def _is_switch(name: str, schema: Any) -> bool:
    types = schema.get("type") if isinstance(schema, dict) else None
    return isinstance(types, list) and "boolean" in types and _bare(name) in _SWITCHES


def _bare(name: str) -> str:
    return re.sub(r"[-_.:/\s]", "", name.lower())


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(name[:64] for name in names[:_LISTED]) + more


def _finding(place: Place, message: str) -> Finding:
    return Finding(NAME, Severity.INFO, place, message, scope=Scope.CONVERSATION)


RULE = Rule(NAME, __doc__ or "", on_request=check)
