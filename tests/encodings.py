"""Bodies as clients and servers encode them."""

from __future__ import annotations


def zstd(data: bytes) -> bytes:
    """With the library that this version of mitmproxy brings along."""
    try:
        import zstandard
    except ImportError:
        from backports import zstd as backport

        return backport.compress(data)
    return zstandard.ZstdCompressor().compress(data)
