"""The files that make clients trust our authority beside what they trust anyway.

Most runtimes take one file in place of all roots that they know, so that file has to hold those roots too: only the hosts
of the Gemini API are decrypted, all others show their own certificates.
"""

from __future__ import annotations

import hashlib
import os
import re
import ssl
import struct
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import certifi

from ..cassettes.errors import SetupError
from .authority import Authority

JAVA_PASSWORD: Final = "changeit"  # noqa: S105 - what Java's own store has; it protects nothing
_REPLACING: Final = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables whose file takes the place of the usual roots."""
_ADDING: Final = ("NODE_EXTRA_CA_CERTS",)
_SYSTEM_BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
_PEM: Final = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)

# The format that Java calls JKS: every Java reads it, needing no password for it.
_JKS_MAGIC: Final = 0xFEEDFEED
_JKS_VERSION: Final = 2
_JKS_TRUSTED: Final = 2
_JKS_SALT: Final = b"Mighty Aphrodite"


@dataclass(frozen=True, slots=True)
class Trust:
    """Files for a client's environment."""

    certificate: Path
    """Our authority alone, for what adds it to the roots that it knows."""
    bundle: Path
    """Our authority and the user's roots, as PEM."""
    java: Path
    """The same as a trust store of Java."""


def trust_files(authority: Authority, environ: Mapping[str, str]) -> Trust:
    """Write what clients need, in the authority's folder; files that are right already stay as they are.

    Args:
        authority: the user's authority.
        environ: names the roots that the user trusts, where they are not the usual ones.

    Raises:
        SetupError: a variable names a file that cannot be read, or one cannot be written.
    """
    own = _read(authority.certificate, "the certificate of gemtape's authority")
    named = list(_named(authority, environ))
    certificates = list(dict.fromkeys([*own, *_roots(named)]))
    # What different roots make are different files: another command may be reading the other one.
    mark = hashlib.sha256("\0".join(f"{name}={path}" for name, path in named).encode()).hexdigest()[:8]
    stem = f"trust-{mark}" if named else "trust"
    found = Trust(authority.certificate, authority.folder / f"{stem}.pem", authority.folder / f"{stem}.jks")
    try:
        _write(found.bundle, "".join(f"{pem}\n" for pem in certificates).encode())
        _write(found.java, java_store(map(ssl.PEM_cert_to_DER_cert, certificates)))
    except OSError as error:
        raise SetupError(f"cannot write to {authority.folder}: {error.strerror}") from error
    return found


def java_store(certificates: Iterable[bytes]) -> bytes:
    """Certificates (DER) as a trust store of Java.

    The library that could write one in Java's newer format does so only in versions that mitmproxy 11 does not take.
    """
    entries = [
        struct.pack(">I", _JKS_TRUSTED)
        + _java_text(f"gemtape-{number}")
        + struct.pack(">Q", 0)  # when it was added; anything else would make the file differ every time
        + _java_text("X.509")
        + struct.pack(">I", len(der))
        + der
        for number, der in enumerate(certificates)
    ]
    store = struct.pack(">III", _JKS_MAGIC, _JKS_VERSION, len(entries)) + b"".join(entries)
    password = JAVA_PASSWORD.encode("utf-16-be")
    return store + hashlib.sha1(password + _JKS_SALT + store, usedforsecurity=False).digest()


def _named(authority: Authority, environ: Mapping[str, str]) -> Iterable[tuple[str, Path]]:
    """The files that the user's variables name; those of ours, from a shell that has them set already, are left out."""
    for name in (*_REPLACING, *_ADDING):
        path = Path(environ.get(name, ""))
        if path.is_file() and not path.is_relative_to(authority.folder):
            yield name, path


def _roots(named: Iterable[tuple[str, Path]]) -> Iterable[str]:
    usual = True
    for name, path in named:
        usual = usual and name not in _REPLACING
        yield from _read(path, name)
    if usual:
        yield from _PEM.findall(Path(certifi.where()).read_text(encoding="utf-8"))
        yield from _system_roots()


def _system_roots() -> Iterable[str]:
    """What an administrator may have added to, as for a company's own proxy."""
    if sys.platform == "win32":
        stores = [ssl.enum_certificates(name) for name in ("CA", "ROOT")]
        return [
            ssl.DER_cert_to_PEM_cert(der).strip()
            for store in stores
            for der, kind, _ in store
            if kind == "x509_asn"
        ]
    found = next(filter(os.path.isfile, _SYSTEM_BUNDLES), None)
    return _read(Path(found), "the system's certificates") if found else []


def _read(path: Path, name: str) -> list[str]:
    try:
        return _PEM.findall(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise SetupError(f"{name}: cannot read {path}: {error.strerror}") from error


def _write(path: Path, data: bytes) -> None:
    if path.is_file() and path.read_bytes() == data:
        return
    descriptor, made = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    Path(made).replace(path)


def _java_text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode("ascii")
