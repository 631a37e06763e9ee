"""Clients that upload as the SDKs do: where they send the bytes of a file, and what they send along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.resumable import GRANULARITY

KEY = "AIzaSyUpload-" + "u" * 26


@dataclass
class Uploader:
    """A client with a base URL, which may have a path.

    By default as google-genai for Python: a leg goes to the URL as it was given, with neither key nor user agent of the
    SDK. With `keeps_only_path` as those for JavaScript, Go and Java: host and port of the base URL, path of the upload
    URL, and the key again.
    """

    http: httpx.Client
    base: str
    keeps_only_path: bool = False
    resource: str = "files"

    def upload(self, data: bytes, piece: int = GRANULARITY, **about: Any) -> dict[str, Any]:
        """Upload a file; gives what the API says of it."""
        return self.send(self.start(data, **about), data, piece).json()

    def start(self, data: bytes, mime: str = "application/octet-stream", **about: Any) -> str:
        """Begin an upload; gives the URL that the bytes go to."""
        wanted = {
            "mimeType": mime,
            "sizeBytes": str(len(data)) if self.keeps_only_path else len(data),
            **about,
        }
        answer = self.http.post(
            f"{self.base}/upload/v1beta/{self.resource}",
            json=wanted if ":" in self.resource else {"file": wanted},
            headers={
                "x-goog-api-key": KEY,
                "user-agent": "google-genai-sdk/3.6.1 gl-python/3.13.0",
                "X-Goog-Upload-Protocol": "resumable",
                "X-Goog-Upload-Command": "start",
                "X-Goog-Upload-Header-Content-Length": str(len(data)),
                "X-Goog-Upload-Header-Content-Type": mime,
            },
        )
        answer.raise_for_status()
        assert answer.headers["x-goog-upload-status"] == "active"
        return self.leads_to(answer.headers["x-goog-upload-url"])

    def leads_to(self, url: str) -> str:
        """Where this client takes an upload URL to."""
        if not self.keeps_only_path:
            return url
        base, named = urlsplit(self.base), urlsplit(url)
        return f"{base.scheme}://{base.netloc}{named.path}?{named.query}"

    def send(self, url: str, data: bytes, piece: int = GRANULARITY) -> httpx.Response:
        """Send a file in pieces; gives the last answer."""
        *offsets, last = range(0, max(len(data), 1), piece)
        for offset in offsets:
            answer = self.leg(url, "upload", data[offset : offset + piece], offset)
            answer.raise_for_status()
            assert answer.headers["x-goog-upload-status"] == "active"
        answer = self.leg(url, "upload, finalize", data[last:], last)
        answer.raise_for_status()
        assert answer.headers["x-goog-upload-status"] == "final"
        return answer

    def leg(self, url: str, command: str, data: bytes = b"", offset: int | None = None) -> httpx.Response:
        """Send one leg."""
        headers = {"X-Goog-Upload-Command": command, "Content-Type": "application/json"}
        if offset is not None:
            headers["X-Goog-Upload-Offset"] = str(offset)
        if self.keeps_only_path:
            headers["x-goog-api-key"] = KEY
        return self.http.post(url, content=data, headers=headers)
