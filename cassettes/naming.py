"""Which file a path prefix names: the rules that keep every request inside the cassette folder.

A prefix is what stands in front of the API path (``/refunds/happy/v1beta/…`` → ``refunds/happy``), percent-encoded as
it came. Its last segment may be a session, ``@run1``, which is no part of the name.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from .errors import CassetteNameError
from .routes import starts_api
from .shapes import Shapes

SUFFIX: Final = ".db"
LONGEST_SEGMENT: Final = 120
"""UTF-8 bytes of one segment; file systems stop at 255, and a suffix such as ``.db.new-wal`` has to fit."""
LONGEST_NAME: Final = 600
"""UTF-8 bytes of a whole name."""

# Letters and digits of any script, and the punctuation of test names; a segment starts with a letter, digit or
# underscore, so that nothing hidden, relative or option-like can be named, and does not end in a blank or dot, which
# Windows would drop.
_SEGMENT = re.compile(r"\w(?:[\w .,+=()\[\]~-]*[\w,+=()\[\]~-])?\Z")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)", re.IGNORECASE)

_SECRETS: Final = Shapes()


def split_session(prefix: str) -> tuple[str, str]:
    """Take the session off a prefix: ``refunds/happy/@run1`` → ``("refunds/happy", "run1")``.

    Raises:
        CassetteNameError: there is an `@` segment, but not at the end, or it names nothing.
    """
    *names, last = prefix.split("/")
    if not unquote(last).startswith("@"):
        return prefix, ""
    return "/".join(names), _checked(unquote(last)[1:], prefix)


def cassette_name(prefix: str) -> str:
    """The name of a cassette, decoded and checked; a final ``.db`` is dropped.

    Raises:
        CassetteNameError: the prefix is empty or cannot be a name.
    """
    if not prefix:
        raise CassetteNameError("no cassette is named: add a name to the base URL, for example /my-test")
    segments = [_checked(_decoded(segment, prefix), prefix) for segment in prefix.split("/")]
    segments[-1] = segments[-1].removesuffix(SUFFIX) or segments[-1]
    name = "/".join(segments)
    if len(name.encode()) > LONGEST_NAME:
        raise CassetteNameError(f"a cassette name is at most {LONGEST_NAME} bytes long")
    for segment in segments[:-1]:
        if segment.lower().endswith(SUFFIX):
            raise _refusal(segment, "a folder that looks like a cassette")
    return name


def cassette_path(folder: Path, name: str) -> Path:
    """The file of a name that `cassette_name` gave."""
    return folder.joinpath(*name.split("/")).with_name(name.rpartition("/")[2] + SUFFIX)


def status_file(cassette: Path) -> Path:
    """The file beside a cassette in which a recorder tells another program what was asked of it, as JSON."""
    return cassette.with_name(f"{cassette.name}.status")


def names_folder(target: str) -> bool:
    """Whether a target given by the user is a folder of cassettes: it ends in a slash, or is one."""
    return target.endswith(("/", "\\")) or Path(target).is_dir()


def _decoded(segment: str, prefix: str) -> str:
    try:
        return unicodedata.normalize("NFC", unquote(segment, errors="strict"))
    except UnicodeDecodeError as error:
        raise _refusal(prefix, "not UTF-8") from error


def _checked(segment: str, prefix: str) -> str:
    if not segment:
        raise _refusal(prefix, "an empty part")
    if starts_api(segment):
        raise _refusal(segment, "a word of the API")
    if not _SEGMENT.match(segment):
        raise _refusal(segment, "only letters, digits, blanks and _ . , + = ( ) [ ] ~ - can be used")
    if _DEVICE.match(segment):
        raise _refusal(segment, "a device on Windows")
    if _SECRETS.spans(segment):
        raise CassetteNameError(
            "a key or token stands where the name of a cassette would: no file is called so"
        )
    if len(segment.encode()) > LONGEST_SEGMENT:
        raise _refusal(segment, f"longer than {LONGEST_SEGMENT} bytes")
    return segment


def _refusal(name: str, reason: str) -> CassetteNameError:
    shown = name if len(name) <= 40 else name[:40] + "…"
    return CassetteNameError(f"{shown!a} cannot name a cassette: {reason}")
