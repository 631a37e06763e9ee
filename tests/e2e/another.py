"""Another talk, made of a flow's transcript: about another city, with answers that were issued by somebody else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

CITY: Final = "Nagpur"
"""The city that it is about, instead of Pune."""
_SIGNATURE: Final = re.compile(r'"thought_?[sS]ignature\\*": ?\\*"([^"\\]+)')
_ID: Final = re.compile(r'"id\\*": ?\\*"([^"\\]+)')


def write_another(transcript: Path, target: Path) -> Path:
    """Write the transcript of the same talk about `CITY`, with the same words of the model, but other signatures and ids.

    Returns:
        `target`.
    """
    text = transcript.read_text(encoding="utf-8").replace("Pune", CITY)
    for signature in set(_SIGNATURE.findall(text)):
        text = text.replace(signature, signature[:20] + signature[20:40].swapcase() + signature[40:])
    for name in set(_ID.findall(text)):
        text = text.replace(name, name[:-1] + ("0" if name[-1] != "0" else "1"))
    target.write_text(text, encoding="utf-8")
    return target


def issued(transcript: Path) -> set[str]:
    """The signatures and ids in a transcript."""
    text = transcript.read_text(encoding="utf-8")
    return {*_SIGNATURE.findall(text), *_ID.findall(text)}


def about_another(result: dict[str, list[str]]) -> dict[str, list[str]]:
    """What a program's talk about `CITY` gives, from what the one about Pune gives."""
    return {**result, "calls": [call.replace("Pune", CITY) for call in result["calls"]]}
