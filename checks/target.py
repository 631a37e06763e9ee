"""Whom a request is for: surface and model, and which of the API's rules that model enforces.

Signature validation holds for models of major version 3 and later and for ``-latest`` aliases, which resolve to such
models; image models have rules of their own. Source: ai.google.dev/gemini-api/docs/thought-signatures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..cassettes.entry import Entry
from ..cassettes.routes import Surface

_VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?(?![0-9])")
_STRICT_FROM: Final = 3
_NO_PREFILL_FROM: Final = (3, 6)


@dataclass(frozen=True, slots=True)
class Target:
    """The API that answers, and a model. `version` is None where the model's name does not tell it.

    `asked` is the model that was really asked, where the request is judged as if it had gone to another; `chat` says that
    it is asked through chat completions.
    """

    surface: Surface
    model: str
    version: tuple[int, int] | None
    asked: str = ""
    chat: bool = False

    @property
    def issues_unsigned(self) -> bool:
        """Whether the answers are another model's, one that need not sign what the judged model would."""
        return bool(self.asked) and not Target(self.surface, self.asked, model_version(self.asked)).strict

    @property
    def strict(self) -> bool:
        """Whether unsigned calls of the current turn are refused."""
        return not self.image and self.third_generation

    @property
    def third_generation(self) -> bool:
        """Whether the model is of major version 3 or later, as far as its name tells."""
        if self.version is None:
            return "gemini" in self.model and self.model.endswith("-latest")
        return self.version[0] >= _STRICT_FROM

    @property
    def image(self) -> bool:
        """Whether the model makes images."""
        return "-image" in self.model

    @property
    def refuses_trailing_model_turn(self) -> bool:
        """Whether a history that ends with the model is refused: from 3.6 on, and 3.5 Flash-Lite."""
        if self.version is None:
            return False
        return self.version >= _NO_PREFILL_FROM or (self.version == (3, 5) and "flash-lite" in self.model)

    @property
    def counts_next_content_only(self) -> bool:
        """Whether responses count only in the content right after the calls: Vertex and Code Assist."""
        return self.surface in (Surface.VERTEX, Surface.CODE_ASSIST)


def target_of(entry: Entry, as_model: str = "") -> Target:
    """The target of a recorded request, or of the same request sent to `as_model`."""
    model = as_model.rpartition("/")[2] or entry.model
    route = entry.route
    asked = entry.model if as_model else ""
    return Target(route.backend, model, model_version(model), asked, chat=route.surface is Surface.OPENAI)


def model_version(model: str) -> tuple[int, int] | None:
    """Major and minor version in a model's name: ``gemini-3.6-flash`` → ``(3, 6)``; None where there is none."""
    match = _VERSION.search(model)
    return (int(match[1]), int(match[2] or 0)) if match else None
