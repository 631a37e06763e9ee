"""Recorded answers that name the URL of an upload, changed so that it leads back to the door that sends them."""

from __future__ import annotations

from dataclasses import replace

from .answers import Answer
from .routes import split_prefix
from .uploads import led_back, names_upload, with_prefix


def names_uploads(answer: Answer) -> bool:
    """Whether an answer names the URL of an upload; that of most answers is known without a look at their values."""
    return answer.may_name_upload and any(
        names_upload(name.decode("latin-1"), value.decode("latin-1")) for name, value in answer.headers
    )


def leading_back(answer: Answer, origin: str, path: str, number: int) -> Answer:
    """A recorded answer whose upload URLs lead back.

    Args:
        answer: the answer as it was recorded.
        origin: scheme, host and port by which the client reached this door: ``http://127.0.0.1:8090``.
        path: the path of the client's request, with its prefix.
        number: the exchange that answers; stands for an upload of which no id was kept.
    """
    prefix, api_path = split_prefix(path)
    door = f"{origin}/{prefix}" if prefix else origin

    def led(name: str, url: str) -> str:
        if not names_upload(name, url):
            return url
        return with_prefix(led_back(url, door, api_path), prefix, f"exchange {number}")

    pairs = ((name, led(name.decode("latin-1"), value.decode("latin-1"))) for name, value in answer.headers)
    return replace(answer, headers=tuple((name, value.encode("latin-1")) for name, value in pairs))
