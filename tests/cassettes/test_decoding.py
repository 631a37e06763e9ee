"""Content-encodings come off in bounds, whatever the pieces."""

from __future__ import annotations

import gzip
import random
import sys
import zlib

import brotli
import pytest

from gemtape.cassettes.decoding import FREE, CannotDecode, decode_pieces
from tests.encodings import zstd

TEXT = b"".join(b'data: {"candidates": [{"index": %d}]}\r\n\r\n' % n for n in range(300))


ENCODED = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT[:5000]) + gzip.compress(TEXT[5000:]),
    "GZIP": gzip.compress(TEXT) + b"\0\0\0",
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT),
    "zstd": zstd(TEXT),
    "identity": TEXT,
    "": TEXT,
    "zstd, gzip": gzip.compress(zstd(TEXT)),
}


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 7, 1000, 1_000_000])
@pytest.mark.parametrize("encoding", ENCODED)
def test_body_is_decoded_piece_by_piece(encoding: str, size: int):
    pieces = cut(ENCODED[encoding], size)

    decoded = decode_pieces(pieces, encoding)

    assert b"".join(decoded) == TEXT
    assert len(decoded) == len(pieces)


def test_deflate_without_its_header():
    assert b"".join(decode_pieces(cut(zlib.compress(TEXT)[2:-4], 1), "deflate")) == TEXT


def test_flushed_pieces_stay_apart():
    """A streaming server flushes its compressor at every event; each one then decodes with its own piece."""
    engine = zlib.compressobj(wbits=31)
    events = [b"data: 1\r\n\r\n", b"data: 2\r\n\r\n", b"data: 3\r\n\r\n"]
    pieces = [engine.compress(event) + engine.flush(zlib.Z_SYNC_FLUSH) for event in events]

    assert decode_pieces([*pieces, engine.flush()], "gzip") == [*events, b""]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_body_that_ends_early_decodes_to_what_came(encoding: str):
    whole = random.Random(1).randbytes(50_000)
    encoded = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstd}[
        encoding
    ](whole)

    decoded = b"".join(decode_pieces(cut(encoded[:30_000], 1000), encoding))

    assert whole.startswith(decoded)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "dcb", "gzip, dcb"])
def test_body_that_is_something_else_cannot_be_decoded(encoding: str):
    with pytest.raises(CannotDecode):
        decode_pieces([b"\xffplain text, whatever the header says"], encoding)


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_bomb_is_given_up_in_time(encoding: str):
    zeros = bytes(3 * FREE)
    bomb = {"gzip": gzip.compress, "br": lambda data: brotli.compress(data, quality=1), "zstd": zstd}[
        encoding
    ](zeros)
    assert len(bomb) < len(zeros) // 500

    with pytest.raises(CannotDecode, match="far more"):
        decode_pieces(cut(bomb, 65_536), encoding)


def test_large_body_of_usual_ratio_is_decoded():
    text = TEXT * (2 * FREE // len(TEXT))
    noise = random.Random(1).randbytes(len(text) // 50)

    decoded = decode_pieces(cut(gzip.compress(noise + text), 65_536), "gzip")

    assert sum(map(len, decoded)) == len(noise) + len(text)


@pytest.mark.parametrize(
    ("encoding", "missing"), [("br", ["brotli"]), ("zstd", ["zstandard", "backports", "compression"])]
)
def test_where_its_library_is_missing_a_body_stays_encoded(
    encoding: str, missing: list[str], monkeypatch: pytest.MonkeyPatch
):
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(CannotDecode, match=f"no library here that decodes {encoding}"):
        decode_pieces([ENCODED[encoding]], encoding)
