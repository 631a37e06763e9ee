"""Uploads: which requests belong to one, what stands for the secret in its URL, and how that URL leads through a door.

A resumable upload begins with a request whose answer names an absolute URL; the bytes follow in one or more requests to
it, its legs, which carry no key: the ``upload_id`` in the URL is the credential. In a cassette a stand-in takes its
place, so that nothing of it is left and a leg still tells which start it belongs to. A replay gives the stand-in to its
client, with the cassette's prefix in it, since some clients keep only the path of the URL behind the prefix.
"""

from __future__ import annotations

import hashlib
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final
from urllib.parse import unquote_plus

from .models import Headers, first_header
from .routes import split_prefix

ID: Final = "upload_id"
"""The parameter that names an upload, and lets whoever knows it send the bytes."""
URL_HEADERS: Final = frozenset({"x-goog-upload-url", "x-goog-upload-control-url", "location"})
"""Answer headers that name the URL of an upload."""
LARGE_FILE: Final = 1024 * 1024
"""Bytes above which a file is never parsed for its own sake: the value of JSON takes ten times its size."""
_COMMAND: Final = "x-goog-upload-command"
_PROTOCOL: Final = "x-goog-upload-protocol"
_STAND_IN: Final = re.compile(r"(gemtape-[0-9a-f]{16})(?:\.([0-9A-Za-z_-]+))?\Z")


def stand_in(upload_id: str) -> str:
    """What stands for an upload's id where the id must not: the same for the same id, and no way back to it.

    A stand-in stands for itself, without the prefix that a replay put into it.
    """
    known = _STAND_IN.match(upload_id)
    if known:
        return known[1]
    digest = hashlib.sha256(f"gemtape upload {upload_id}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"gemtape-{digest[:16]}" if upload_id else ""


def is_stand_in(upload_id: str) -> bool:
    """Whether it is no real id."""
    return not upload_id or _STAND_IN.match(upload_id) is not None


def upload_id(query: str) -> str:
    """The id of the upload that a query names; empty where it names none."""
    if ID not in query and "%" not in query:
        return ""
    pairs = (pair.partition("=") for pair in query.split("&"))
    return next((unquote_plus(value) for name, _, value in pairs if is_id(name)), "")


def is_id(name: str) -> bool:
    """Whether a parameter, as it is spelled in a query, is the one that names an upload."""
    return unquote_plus(name).strip().lower() == ID


def names_upload(header: str, value: str) -> bool:
    """Whether an answer's header (by its name in lower case) names the URL of an upload."""
    if header not in URL_HEADERS:
        return False
    return header != "location" or bool(upload_id(value.partition("?")[2]))


def upload_ids(headers: Headers) -> set[str]:
    """The ids in an answer's upload URLs."""
    urls = (value for name, value in headers if names_upload(name.lower(), value))
    return {found for url in urls if (found := upload_id(url.partition("?")[2]))}


def belongs_to_upload(path: str, query: str) -> bool:
    """Whether a request, by API path and query, starts an upload or is a leg of one."""
    return "/upload/" in path or bool(upload_id(query))


def carries_file(path: str, query: str, headers: Headers) -> bool:
    """Whether the body of a request is a file, or a piece of one: bytes that count as they are, also where they are JSON."""
    if not belongs_to_upload(path, query):
        return False
    command = first_header(headers, _COMMAND)
    if command is not None:
        return "upload" in words(command)
    raw = (first_header(headers, _PROTOCOL) or "").strip().lower() == "raw"
    return raw or bool(upload_id(query)) or "uploadType=media" in query.split("&")


def words(command: str) -> list[str]:
    """The words of an upload command: ``upload, finalize``."""
    return [word for part in command.lower().split(",") if (word := part.strip())]


def led_back(url: str, door: str, fallback: str) -> str:
    """An upload URL as it leads to the same place through a door of ours.

    Args:
        url: the absolute URL that the upstream named.
        door: scheme, host and port that the client used, and its prefix: ``http://127.0.0.1:8090/refunds/happy``.
        fallback: the path to use where that of the URL holds no API path.
    """
    place, mark, query = url.partition("?")
    path = split_prefix("/" + place.partition("://")[2].partition("/")[2])[1]
    return f"{door}{fallback if path == '/' else path}{mark}{query}"


def with_prefix(url: str, prefix: str, otherwise: str) -> str:
    """An upload URL of a replay whose id also says which prefix the client had.

    Args:
        url: the URL, with a stand-in for its id, or, as older cassettes have it, without an id.
        prefix: the prefix, percent-encoded as the client sent it; may be empty.
        otherwise: what stands for the id of an upload that has none.
    """
    place, _, query = url.partition("?")
    pairs = [pair for pair in query.split("&") if pair and not is_id(pair.partition("=")[0])]
    hidden = urlsafe_b64encode(prefix.encode("latin-1", "replace")).decode().rstrip("=")
    name = stand_in(upload_id(query) or otherwise)
    return f"{place}?{'&'.join([f'{ID}={name}' + (f'.{hidden}' if hidden else ''), *pairs])}"


def restored_path(path: str, query: str) -> str:
    """The path of a request to a replay with the prefix that a client lost which keeps only an upload URL's path."""
    known = _STAND_IN.match(upload_id(query)) if ID in query else None
    if known is None or not known[2] or split_prefix(path)[0]:
        return path
    try:
        prefix = urlsafe_b64decode(known[2] + "=" * (-len(known[2]) % 4)).decode("latin-1")
    except ValueError:
        return path
    return f"/{prefix}{path}"
