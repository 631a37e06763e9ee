"""Between entries and rows: JSON paths, chunk lists, compressed bodies, and the columns of an exchange."""

from __future__ import annotations

import zlib
from typing import Any, Final

import orjson

from .errors import NotACassette
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
    packer = zlib.compressobj(6, zdict=dictionary) if dictionary else zlib.compressobj(6)
    return packer.compress(body) + packer.flush()


def _decompress(data: bytes, dictionary: bytes) -> bytes:
    unpacker = zlib.decompressobj(zdict=dictionary) if dictionary else zlib.decompressobj()
    body = unpacker.decompress(data) + unpacker.flush()
    if not unpacker.eof:
        raise ValueError("its body ends early")
    return body


def response_of(row: dict[str, Any], dictionary: bytes) -> Response | None:
    """The answer of a row; `dictionary` as for `response_columns`.

    Raises:
        NotACassette: the stored body does not decompress or does not fit its chunks.
    """
    if row["status"] is None:
        return None
    try:
        body = _decompress(row["body"], dictionary)
        pieces = orjson.loads(row["chunks"])
        headers = headers_of(row["response_headers"])
        chunks: list[Chunk] = []
        start = 0
        for offset_ms, size in pieces:
            chunks.append(Chunk(offset_ms, body[start : start + size]))
            start += size
    except (zlib.error, orjson.JSONDecodeError, TypeError, ValueError) as error:
        raise NotACassette(f"exchange {row['id']} is damaged: {error}") from error
    if start != len(body):
        raise NotACassette(f"exchange {row['id']} is damaged: its chunks do not add up to its body")
    return Response(row["status"], headers, tuple(chunks), bool(row["cut"]))


def headers_of(text: str) -> Headers:
    """Header pairs from their JSON."""
    return tuple((name, value) for name, value in orjson.loads(text))


def failure_of(value: str | None) -> Failure | None:
    """The failure that a row names."""
    return None if value is None else Failure(value)
