"""Content-encodings taken off our copy of a body, piece by piece and within bounds; clients get the bytes as they came.

gzip and deflate come off everywhere; br and zstd where their libraries are, as they are wherever mitmproxy is.
"""

from __future__ import annotations

import contextlib
import sys
import zlib
from typing import Any, Final, Protocol

FREE: Final = 16 * 1024 * 1024
"""Bytes that a body may decode to, however small it was."""
LARGEST_RATIO: Final = 100
"""Beyond `FREE`, a body may decode to this many times its size; text that repeats reaches 20, a bomb 1000 and more."""
_ZLIB_HEADER: Final = 2
_SLICE: Final = 64
"""Bytes fed at a time to a decoder that cannot be told how much to give back."""


class CannotDecode(Exception):
    """The body is not what its content-encoding says, is cut in the middle of it, or decodes to far too much."""


class Decoder(Protocol):
    """Takes the encoding off a body, piece by piece."""

    def feed(self, data: bytes, limit: int) -> bytes:
        """What these bytes decode to.

        Raises:
            CannotDecode: more than `limit` bytes, or not decodable.
        """
        ...


def decode_pieces(pieces: list[bytes], encoding: str) -> list[bytes]:
    """Take the content-encoding off a body, keeping its pieces apart (a piece may come out empty).

    Args:
        pieces: the body as it came.
        encoding: the value of its content-encoding header; several are undone from the last to the first.

    Raises:
        CannotDecode: unknown encoding, no library for it, broken data, or more than the bounds allow. A body that
            merely ends early decodes to what is there.
    """
    for name in reversed([part.strip().lower() for part in encoding.split(",")]):
        if name not in ("", "identity"):
            pieces = _decoded(pieces, name)
    return pieces


def _decoded(pieces: list[bytes], name: str) -> list[bytes]:
    decoder = _decoder(name)
    decoded: list[bytes] = []
    taken = given = 0
    for piece in pieces:
        taken += len(piece)
        limit = max(FREE, taken * LARGEST_RATIO) - given
        decoded.append(decoder.feed(piece, limit))
        given += len(decoded[-1])
    return decoded


def _decoder(name: str) -> Decoder:
    if name in ("gzip", "x-gzip"):
        return _Zlib(zlib.MAX_WBITS | 16)
    if name == "deflate":
        return _Zlib(zlib.MAX_WBITS)
    if name == "br":
        return _Sliced(*_brotli())
    if name == "zstd":
        return _Sliced(*_zstd())
    raise CannotDecode(f"unknown content-encoding {name[:40]!a}")


class _Zlib:
    """gzip of any number of members, or deflate with or without its zlib header."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._engine = zlib.decompressobj(wbits)
        self._header = b""

    def feed(self, data: bytes, limit: int) -> bytes:
        found: list[bytes] = []
        while data:
            if self._engine.eof:
                if not data.strip(b"\0"):
                    break  # padding after the last member
                self._engine = zlib.decompressobj(self._wbits)
            found.append(self._step(data, limit))
            limit -= len(found[-1])
            if self._engine.unconsumed_tail:
                raise CannotDecode("decodes to far more than its size")
            data = self._engine.unused_data if self._engine.eof else b""
        return b"".join(found)

    def _step(self, data: bytes, limit: int) -> bytes:
        try:
            # One byte more than allowed tells a body that is just within the bounds from one beyond them.
            decoded = self._engine.decompress(data, limit + 1)
        except zlib.error as error:
            if self._wbits != zlib.MAX_WBITS or len(self._header) >= _ZLIB_HEADER:
                raise CannotDecode(str(error)) from error
            # Some servers send deflate without the zlib header.
            self._wbits = -zlib.MAX_WBITS
            self._engine = zlib.decompressobj(self._wbits)
            return self._step(self._header + data, limit)
        self._header = (self._header + data)[:_ZLIB_HEADER]
        if len(decoded) > limit:
            raise CannotDecode("decodes to far more than its size")
        return decoded


class _Sliced:
    """A decoder that gives back all it can at once, fed in slices small enough to stop it in time."""

    def __init__(self, process: Any, error: type[Exception]) -> None:
        self._process = process
        self._error = error

    def feed(self, data: bytes, limit: int) -> bytes:
        found: list[bytes] = []
        for start in range(0, len(data), _SLICE):
            try:
                found.append(self._process(data[start : start + _SLICE]))
            except (self._error, EOFError) as error:
                raise CannotDecode(str(error)) from error
            limit -= len(found[-1])
            if limit < 0:
                raise CannotDecode("decodes to far more than its size")
        return b"".join(found)


def _brotli() -> tuple[Any, type[Exception]]:
    try:
        import brotli  # noqa: PLC0415 - comes with mitmproxy only
    except ImportError as error:
        raise CannotDecode("there is no library here that decodes br") from error
    return brotli.Decompressor().process, brotli.error


def _zstd() -> tuple[Any, type[Exception]]:
    """The zstd that mitmproxy brings along: `zstandard` up to 11, later the standard library's or its backport."""
    with contextlib.suppress(ImportError):
        import zstandard  # noqa: PLC0415

        return zstandard.ZstdDecompressor().decompressobj().decompress, zstandard.ZstdError
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd  # noqa: PLC0415
        else:
            from backports import zstd  # noqa: PLC0415 # pyright: ignore[reportMissingImports] - not on 3.11
    except ImportError as error:
        raise CannotDecode("there is no library here that decodes zstd") from error
    return zstd.ZstdDecompressor().decompress, zstd.ZstdError
