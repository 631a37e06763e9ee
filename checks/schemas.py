"""The declared schema of a function, in either spelling, as one JSON Schema (draft 2020-12) without references.

``parameters`` is Gemini's OpenAPI subset: types in upper or lower case, ``nullable``, ``propertyOrdering``, numbers that
may be spelled as text. ``parametersJsonSchema`` is JSON Schema; of its keywords those are read that the API documents
for it. Both leak into one another in the field, so one reader takes both. What cannot be read says nothing: a keyword
of the wrong type, an unknown one, a reference that leads nowhere or outside the schema. Nor does ``format``: JSON Schema
takes it for a remark, and validators differ about it. ``propertyOrdering`` allows and forbids nothing.

References are written out where they stand, breadth first, until `MAX_NODES` schemas are written; beyond that, and
beyond `MAX_DEPTH`, everything fits. So a recursive schema is checked to a depth, and no schema grows without end.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

MAX_NODES: Final = 5_000
MAX_DEPTH: Final = 80
_MAX_HOPS: Final = 32
"""References that may lead to references."""
_MAX_PATTERN: Final = 500
_MAX_PATTERNS: Final = 100
_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_BY_NUMBER: Final = dict(
    enumerate(("string", "number", "integer", "boolean", "array", "object", "null"), start=1)
)
_NUMERIC: Final = frozenset({"number", "integer"})
_COUNTS: Final = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_BOOLEANS: Final = {"true": True, "false": False}
_DECIMAL: Final = re.compile(r"-?[0-9]{1,18}\.[0-9]{1,18}")
_NULL: Final = {"type": "null"}
_READ: Final = frozenset(
    {
        *("type", "nullable", "enum", "const", "pattern", "required", "properties", "patternProperties"),
        *("additionalProperties", "items", "prefixItems", "anyOf", "oneOf", "allOf", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *_COUNTS,
    }
)


@dataclass(frozen=True, slots=True)
class DeclaredSchema:
    """What a declaration asks of arguments: a JSON Schema, and its size in schemas and listed values."""

    schema: dict[str, Any]
    size: int


def declared_schema(declaration: dict[str, Any]) -> DeclaredSchema | None:
    """The schema of a function's arguments; None where the declaration has none.

    Args:
        declaration: A FunctionDeclaration in normal form; anything may stand in its fields.
    """
    source = declaration.get("parametersJsonSchema", declaration.get("parameters"))
    return _Writer(source).write() if isinstance(source, dict) else None


class _Writer:
    """Writes one schema."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._nodes = 0
        self._listed = 0
        self._patterns = 0
        self._pending: deque[tuple[Callable[[Any], None], Any, int]] = deque()

    def write(self) -> DeclaredSchema:
        written: list[Any] = []
        self._pending.append((written.append, self._root, 0))
        while self._pending:
            put, source, depth = self._pending.popleft()
            put(self._node(source, depth) if isinstance(source, dict) else source is not False)
        schema = written[0]
        return DeclaredSchema(schema if isinstance(schema, dict) else {}, self._nodes + self._listed)

    def _node(self, source: dict[str, Any], depth: int) -> Any:
        if self._nodes >= MAX_NODES or depth >= MAX_DEPTH:
            return True
        self._nodes += 1
        node: dict[str, Any] = {}
        for _ in range(_MAX_HOPS):
            target = self._target(source)
            if target is None:
                break
            if not source.keys() & _READ:
                source = target
                continue
            rest = {key: value for key, value in source.items() if key in _READ and key != "nullable"}
            parts = [target, rest] if rest else [target]
            # Beside a reference, nullable says that null is allowed as well, whatever it leads to.
            self._children(
                node, "allOf", [_or_null(parts)] if source.get("nullable") is True else parts, depth
            )
            return node
        self._write_values(node, source)
        self._write_limits(node, source)
        self._write_object(node, source, depth)
        self._write_items(node, source, depth)
        self._write_combinations(node, source, depth)
        return node

    def _target(self, source: dict[str, Any]) -> dict[str, Any] | None:
        """What a reference leads to within the schema; Gemini's own spelling has no dollar sign."""
        reference = source.get("$ref", source.get("ref"))
        if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
            return None  # also an anchor, which is looked for nowhere
        found: Any = self._root
        for step in reference.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and key.isdecimal() and len(key) < 6:
                found = found[int(key)] if int(key) < len(found) else None
            else:
                found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, dict) and found is not source else None

    def _write_values(self, node: dict[str, Any], source: dict[str, Any]) -> None:
        types = _types(source.get("type"))
        nullable = source.get("nullable") is True
        if types:
            node["type"] = sorted(types | {"null"} if nullable else types)
        values = [source["const"]] if "const" in source else source.get("enum")
        if isinstance(values, list) and values:
            self._listed += len(values)
            node["enum"] = [*values, *_other_spellings(values, types), *([None] if nullable else [])]

    def _write_limits(self, node: dict[str, Any], source: dict[str, Any]) -> None:
        for key in _COUNTS:
            count = _number(source.get(key))
            if isinstance(count, int) and count >= 0:
                node[key] = count
        for key, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            limit, strict = _number(source.get(key)), source.get(exclusive)
            if limit is not None:
                node[exclusive if strict is True else key] = limit
            if _number(strict) is not None:
                node[exclusive] = _number(strict)
        step = _number(source.get("multipleOf"))
        if step is not None and step > 0:
            node["multipleOf"] = step
        pattern = source.get("pattern")
        if isinstance(pattern, str) and len(pattern) <= _MAX_PATTERN and self._patterns < _MAX_PATTERNS:
            self._patterns += 1
            node["pattern"] = pattern

    def _write_object(self, node: dict[str, Any], source: dict[str, Any], depth: int) -> None:
        properties, required = source.get("properties"), source.get("required")
        if isinstance(properties, dict):
            node["properties"] = written = {}
            for name, child in properties.items():
                self._child(written, name, child, depth)
        if isinstance(required, list):
            names = dict.fromkeys(name for name in required if isinstance(name, str))
            node["required"] = list(names)
            self._listed += len(names)
        more = source.get("additionalProperties")
        if isinstance(source.get("patternProperties"), dict):
            node["additionalProperties"] = True
        elif isinstance(more, (bool, dict)):
            # The validator names what is ruled out only where properties are listed, be it none.
            node.setdefault("properties", {})
            self._child(node, "additionalProperties", more, depth)

    def _write_items(self, node: dict[str, Any], source: dict[str, Any], depth: int) -> None:
        items, leading = source.get("items"), source.get("prefixItems")
        if isinstance(items, list):  # how older drafts spelled it
            items, leading = None, items
        if isinstance(items, (bool, dict)):
            self._child(node, "items", items, depth)
        if isinstance(leading, list) and leading:
            self._children(node, "prefixItems", leading, depth)

    def _write_combinations(self, node: dict[str, Any], source: dict[str, Any], depth: int) -> None:
        # The API reads oneOf as anyOf.
        choices = [value for value in (source.get("anyOf"), source.get("oneOf")) if isinstance(value, list)]
        parts = source.get("allOf")
        every = list(parts) if isinstance(parts, list) else []
        if len(choices) == 2:
            every.append({"anyOf": choices.pop()})
        nullable = source.get("nullable") is True
        if choices and choices[0]:
            self._children(node, "anyOf", [*choices[0], *([_NULL] if nullable else [])], depth)
        if every and nullable:
            every = [_or_null(every)]
        if every:
            self._children(node, "allOf", every, depth)

    def _child(self, node: dict[str, Any], name: str, source: Any, depth: int) -> None:
        node[name] = True
        self._pending.append((lambda value: node.__setitem__(name, value), source, depth + 1))

    def _children(self, node: dict[str, Any], name: str, sources: list[Any], depth: int) -> None:
        node[name] = written = [True] * len(sources)
        for index, source in enumerate(sources):
            self._pending.append((lambda value, at=index: written.__setitem__(at, value), source, depth + 1))


def _types(value: Any) -> set[str]:
    """The names of types; JSON may give a type of the API by its number, from 1."""
    names = value if isinstance(value, list) else [value]
    return {
        name.lower() if isinstance(name, str) else _BY_NUMBER.get(name, "")
        for name in names
        if isinstance(name, (str, int))
    } & _TYPES


def _number(value: Any) -> int | float | None:
    """A number, also one that is spelled as text, as JSON spells 64-bit integers of the API."""
    if isinstance(value, str) and value.lstrip("-").isdecimal() and len(value) < 20:
        return int(value)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _other_spellings(values: list[Any], types: set[str]) -> list[Any]:
    """The API lists the values of every enumeration as text, whatever their type."""
    types = types - {"null"}
    if types == {"string"}:
        return [_as_text(value) for value in values if isinstance(value, (bool, int, float))]
    if not types or not types <= _NUMERIC | {"boolean"}:
        return []
    read = [_as_json(value) for value in values if isinstance(value, str)]
    return [value for value in read if isinstance(value, (bool, int, float))]


def _as_text(value: float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_json(text: str) -> Any:
    """The number or boolean that a text spells, None where it spells none."""
    if text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    return float(text) if _DECIMAL.fullmatch(text) else _number(text)


def _or_null(parts: list[Any]) -> dict[str, Any]:
    """A schema that allows null beside what all of the parts allow."""
    return {"anyOf": [parts[0] if len(parts) == 1 else {"allOf": parts}, _NULL]}
