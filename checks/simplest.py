"""One form of declared schemas that say the same, so that comparing them tells of no difference in spelling alone.

Takes what `declared_schema` writes. A null beside one alternative is a type of it, parts that all hold are one schema
where they do not touch one another, and what allows everything is left out.
"""

from __future__ import annotations

from typing import Any, Final

from ..cassettes.canonical import stored_form

_NULL: Final = {"type": ["null"]}
_BELOW: Final = frozenset({"properties", "additionalProperties", "items", "prefixItems"})
"""Keywords of which one says what another applies to."""
_LOWEST: Final = ("minItems", "minLength", "minProperties")
_PYTHON: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def simplest(schema: Any) -> Any:
    """A schema without references in its simplest form; true and false are schemas too."""
    if not isinstance(schema, dict):
        return schema
    node = {key: value for key, value in schema.items() if key not in ("anyOf", "allOf")}
    for key in ("items", "additionalProperties"):
        if key in node:
            node[key] = simplest(node[key])
            if node[key] in (True, {}) and node[key] is not False:
                del node[key]
    if "properties" in node:
        node["properties"] = {name: simplest(child) for name, child in node["properties"].items()}
    if "prefixItems" in node:
        node["prefixItems"] = [simplest(child) for child in node["prefixItems"]]
    for key in _LOWEST:
        if node.get(key) == 0:
            del node[key]
    if "type" in node and "enum" in node:
        node["enum"] = [value for value in node["enum"] if _is_of(value, node["type"])] or node["enum"]
    return _with_parts(node, schema)


def _with_parts(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """A node with the alternatives and the parts of a schema, as far as it cannot take them in."""
    parts = [simplest(part) for part in schema.get("allOf", ())]
    branches = _joined([simplest(branch) for branch in schema.get("anyOf", ())])
    if len(branches) == 1:
        parts.append(branches[0])
    elif branches and True not in branches and {} not in branches:
        node["anyOf"] = branches
    left = []
    for part in parts:
        if not isinstance(part, dict) or not _are_apart(node, part):
            left.append(part)
        else:
            node.update(part)
    left = [part for part in left if part is not True]
    if left:
        node["allOf"] = sorted([*node.get("allOf", ()), *left], key=stored_form)
    return node


def _are_apart(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two schemas that both hold can be written as one."""
    return not one.keys() & other.keys() and not (one.keys() & _BELOW and other.keys() & _BELOW)


def _joined(branches: list[Any]) -> list[Any]:
    """Alternatives with those that name nothing but types as one, and null as a type of the only other one."""
    flat = [
        inner
        for branch in branches
        for inner in (
            branch["anyOf"] if isinstance(branch, dict) and branch.keys() == {"anyOf"} else [branch]
        )
    ]
    bare = [branch for branch in flat if isinstance(branch, dict) and branch.keys() == {"type"}]
    rest = _with_one_list([branch for branch in flat if branch not in bare])
    types = {"type": sorted({name for branch in bare for name in branch["type"]})}
    if types == _NULL and len(rest) == 1 and _can_be_null(rest[0]):
        only = dict(rest[0])
        if "type" in only:
            only["type"] = sorted({*only["type"], "null"})
        if "enum" in only and None not in only["enum"]:
            only["enum"] = [*only["enum"], None]
        return [only]
    return [*rest, types] if bare else rest


def _can_be_null(branch: Any) -> bool:
    """Whether null can be one more type of a schema: whether all else in it speaks of other types."""
    return (
        isinstance(branch, dict)
        and bool(branch.keys() & {"type", "enum"})
        and not branch.keys() & {"anyOf", "allOf"}
    )


def _with_one_list(branches: list[Any]) -> list[Any]:
    """Alternatives with those that name nothing but values as one, as literals are written one by one."""
    lists = [branch for branch in branches if _names_values(branch)]
    if len(lists) < 2:
        return branches
    values = {stored_form(value): value for branch in lists for value in branch["enum"]}
    one: dict[str, Any] = {"enum": list(values.values())}
    if all("type" in branch for branch in lists):
        one["type"] = sorted({name for branch in lists for name in branch["type"]})
    return [*(branch for branch in branches if not _names_values(branch)), one]


def _names_values(branch: Any) -> bool:
    """Whether a schema says no more than which values it allows."""
    return (
        isinstance(branch, dict)
        and "enum" in branch
        and branch.keys() <= {"type", "enum"}
        and ("type" not in branch or all(_is_of(value, branch["type"]) for value in branch["enum"]))
    )


def types_of(schema: dict[str, Any]) -> list[str] | None:
    """The types that a schema allows, said or to be seen from its values; None where neither says any."""
    if "type" in schema or "enum" not in schema:
        return schema.get("type")
    return sorted({name for name in _PYTHON for value in schema["enum"] if _is_seen_as(value, name)})


def _is_seen_as(value: Any, name: str) -> bool:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return _is_of(value, [name]) and (name not in ("number", "integer") or (name == "integer") == whole)


def _is_of(value: Any, types: list[str]) -> bool:
    return any(
        isinstance(value, _PYTHON[name]) and (name == "boolean" or not isinstance(value, bool))
        for name in types
    )
