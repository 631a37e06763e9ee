"""Between entries and rows: JSON paths, chunk lists, compressed bodies, and the columns of an exchange."""

from __future__ import annotations

import zlib
from types import NoneType
from typing import Any, Final

import orjson

from .layout import Place
from .models import Chunk, Failure, Headers, Response

EXCHANGE_COLUMNS: Final = (
    "started_at",
    "duration_ms",
    "method",
    "upstream",
    "path",
    "query",
    "action",
    "model",
    "request_headers",
    "envelope",
    "history",
    "contents_at",
    "tools",
    "tools_at",
    "instruction",
    "instruction_at",
    "raw_body",
    "match_key",
    "status",
    "response_headers",
    "body",
    "chunks",
    "cut",
    "redacted",
    "failure",
    "answer",
    "finish_reason",
)
INSERT_EXCHANGE: Final = (
    f"INSERT INTO exchanges ({', '.join(EXCHANGE_COLUMNS)}) "  # noqa: S608 - our own column names
    f"VALUES ({', '.join(':' + name for name in EXCHANGE_COLUMNS)})"
)

_TEXT_OR_NULL: Final = (str, NoneType)
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "started_at": (float, int),
    "duration_ms": (int,),
    **dict.fromkeys(("method", "upstream", "path", "query", "request_headers"), (str,)),
    **dict.fromkeys(("contents_at", "tools_at", "instruction_at"), _TEXT_OR_NULL),
    **dict.fromkeys(("response_headers", "chunks", "redacted", "failure"), _TEXT_OR_NULL),
    **dict.fromkeys(("status", "history", "tools"), (int, NoneType)),
    "body": (bytes, NoneType),
}
_MEDIA: Final = 4 * 1024 * 1024
"""Bytes above which an answer is media in base64, where looking for repetition takes three times as long for nothing."""


def to_json_path(place: Place | None) -> str | None:
    """``("request", "contents")`` → ``$.request.contents``; the keys are the API's own, without odd characters."""
    return None if place is None else ".".join(("$", *place))


def from_json_path(path: str | None) -> Place | None:
    """The place that a stored JSON path names."""
    return None if path is None else tuple(path.split(".")[1:])


def response_columns(
    response: Response | None, spans: tuple[tuple[int, int], ...], dictionary: bytes
) -> dict[str, Any]:
    """The columns that hold an answer; `dictionary` is the stored form of its folded content, empty where none."""
    if response is None:
        names = ("status", "response_headers", "body", "chunks", "redacted")
        return {**dict.fromkeys(names), "cut": 0}
    return {
        "status": response.status,
        "response_headers": orjson.dumps(response.headers).decode(),
        "body": _compress(response.body, dictionary),
        "chunks": orjson.dumps([[chunk.offset_ms, len(chunk.data)] for chunk in response.chunks]).decode(),
        "cut": int(response.cut),
        "redacted": orjson.dumps(spans).decode() if spans else None,
    }


def _compress(body: bytes, dictionary: bytes) -> bytes:
    """The folded content is stored anyway; as the preset dictionary it leaves little of the body to store again."""
    strategy = zlib.Z_HUFFMAN_ONLY if len(body) > _MEDIA else zlib.Z_DEFAULT_STRATEGY
    packer = zlib.compressobj(6, strategy=strategy, zdict=dictionary)
    return packer.compress(body) + packer.flush()


def _decompress(data: bytes, dictionary: bytes) -> bytes:
    unpacker = zlib.decompressobj(zdict=dictionary)
    body = unpacker.decompress(data) + unpacker.flush()
    if not unpacker.eof:
        raise ValueError("its body ends early")
    return body


def response_of(row: dict[str, Any], dictionary: bytes) -> Response | None:
    """The answer of a row; `dictionary` as for `response_columns`.

    Raises:
        ValueError, TypeError, zlib.error: the stored body does not decompress or does not fit its chunks.
    """
    if row["status"] is None:
        return None
    body = _decompress(row["body"], dictionary)
    chunks: list[Chunk] = []
    start = 0
    for offset_ms, size in orjson.loads(row["chunks"]):
        chunks.append(Chunk(offset_ms, body[start : start + size]))
        start += size
    if start != len(body):
        raise ValueError("its chunks do not add up to its body")
    return Response(row["status"], headers_of(row["response_headers"]), tuple(chunks), bool(row["cut"]))


def check_types(row: dict[str, Any]) -> None:
    """Make sure that every column holds what the schema says; SQLite itself lets any of them hold anything.

    Raises:
        TypeError: one does not.
    """
    for name, types in _TYPES.items():
        if not isinstance(row[name], types):
            raise TypeError(f"{name} is {type(row[name]).__name__}")


def headers_of(text: str) -> Headers:
    """Header pairs from their JSON.

    Raises:
        ValueError, TypeError: it holds something else.
    """
    headers = tuple((name, value) for name, value in orjson.loads(text))
    if not all(isinstance(item, str) for pair in headers for item in pair):
        raise TypeError("a header is no text")
    return headers


def failure_of(value: str | None) -> Failure | None:
    """The failure that a row names."""
    return None if value is None else Failure(value)
