"""An upstream that takes files as the API does: the resumable protocol, multipart uploads, stores, and downloads.

For `tests.upstream.Upstream`: ``Upstream(Files())``. Strict where a proxy could go wrong: bytes have to come in order, to
an upload that was begun and is not over, and nothing but a leg may come without a key.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from gemtape.cassettes.multipart import split_multipart
from gemtape.cassettes.routes import parse_route, split_prefix
from tests.upstream import JSON, Received, head

GOOGLE = "https://generativelanguage.googleapis.com"
GRANULARITY = 8 * 1024 * 1024


@dataclass
class Upload:
    """An upload that was begun: what the client said of the file, where it goes, and the bytes so far."""

    about: dict[str, Any]
    kind: str
    length: str
    store: str = ""
    data: bytearray = field(default_factory=bytearray)
    status: str = "active"
    number: int = 0


class Files:
    """The server's state, and an answer for each request.

    `origin` is where upload URLs lead to; by default, to where the client says that it is (its Host header). `base` is the
    path below which this API lives.
    """

    def __init__(self, origin: str = "", base: str = "") -> None:
        self.origin = origin
        self.base = base
        self.ids: list[str] = []
        """The ids that were given out, which are secrets."""
        self.files: dict[str, bytes] = {}
        self.legs_with_key = 0
        self._uploads: dict[str, Upload] = {}
        self._lock = threading.Lock()

    def __call__(self, request: Received) -> Iterator[bytes]:
        with self._lock:
            status, headers, body, kind = self._answer(request)
        length = ("Content-Length", str(len(body)))
        yield head(status, *headers, length, content_type=kind) + body

    def _answer(self, request: Received) -> tuple[int, list[tuple[str, str]], bytes, str]:
        target, _, query = request.target.partition("?")
        parameters = dict(parse_qsl(query))
        api_path = split_prefix(target)[1]
        if target != self.base + api_path:
            return _error(404, f"nothing at {target}")
        if "upload_id" in parameters:
            self.legs_with_key += bool(request.header("x-goog-api-key"))
            return self._leg(request, parameters["upload_id"])
        if not (request.header("x-goog-api-key") or "key" in parameters):
            return _error(403, "the request has no key")
        route = parse_route(api_path)
        if route.resource.startswith("upload/"):
            if parameters.get("uploadType") == "multipart":
                return self._multipart(request)
            return self._start(request, api_path, route.resource, route.action)
        if route.action == "download":
            data = self.files.get(route.resource)
            return (
                _error(404, "no such file") if data is None else (200, [], data, "application/octet-stream")
            )
        if route.resource in self.files:
            return _json(self._file(route.resource, {}))
        if route.generates:
            return _json({"candidates": [{"content": {"role": "model", "parts": [{"text": "I read it."}]}}]})
        return _error(404, f"nothing at {api_path}")

    def _start(
        self, request: Received, api_path: str, resource: str, action: str
    ) -> tuple[int, list[tuple[str, str]], bytes, str]:
        if request.header("x-goog-upload-command") != "start":
            return _error(400, "an upload begins with the command start")
        about = json.loads(request.body or b"{}")
        number = len(self.ids) + 1
        name = f"ABgVH8{hashlib.sha256(str(number).encode()).hexdigest()[:40]}_-{number}"
        self.ids.append(name)
        store = resource.removeprefix("upload/") if action == "uploadToFileSearchStore" else ""
        self._uploads[name] = Upload(
            about if store else about.get("file", {}),
            request.header("x-goog-upload-header-content-type") or "",
            request.header("x-goog-upload-header-content-length") or "",
            store,
            number=number,
        )
        origin = self.origin or f"http://{request.header('host')}"
        url = f"{origin}{self.base}{api_path}?upload_id={name}&upload_protocol=resumable"
        headers = [
            ("X-Goog-Upload-URL", url),
            ("X-Goog-Upload-Control-URL", url),
            ("X-Goog-Upload-Status", "active"),
            ("X-Goog-Upload-Chunk-Granularity", str(GRANULARITY)),
            ("X-GUploader-UploadID", name),
        ]
        return 200, headers, b"", "text/plain; charset=utf-8"

    def _leg(self, request: Received, name: str) -> tuple[int, list[tuple[str, str]], bytes, str]:
        upload = self._uploads.get(name)
        if upload is None:
            return _error(404, f"there is no upload {name}")
        command = [word.strip() for word in (request.header("x-goog-upload-command") or "").split(",")]
        if command == ["query"]:
            return 200, self._state(upload), b"", "text/plain"
        if upload.status != "active":
            return _error(400, f"the upload {name} is over")
        if command == ["cancel"]:
            upload.status = "cancelled"
            return 200, self._state(upload), b"", "text/plain"
        if "upload" in command:
            if request.header("x-goog-upload-offset") != str(len(upload.data)):
                return _error(
                    400, f"offset {request.header('x-goog-upload-offset')} after {len(upload.data)}"
                )
            upload.data += request.body
        if "finalize" not in command:
            return 200, self._state(upload), b"", "text/plain"
        if upload.length and len(upload.data) != int(upload.length):
            return _error(400, f"{len(upload.data)} bytes came of {upload.length}")
        upload.status = "final"
        status, _, body, kind = _json(self._finished(upload))
        return status, [("X-Goog-Upload-Status", "final")], body, kind

    def _state(self, upload: Upload) -> list[tuple[str, str]]:
        return [
            ("X-Goog-Upload-Status", upload.status),
            ("X-Goog-Upload-Size-Received", str(len(upload.data))),
        ]

    def _multipart(self, request: Received) -> tuple[int, list[tuple[str, str]], bytes, str]:
        parts = split_multipart(request.body, request.header("content-type"))
        if parts is None or len(parts) != 2:
            return _error(400, "the body is no multipart body of two parts")
        about, data = parts
        upload = Upload(json.loads(about.data)["file"], data.headers["content-type"], "")
        self.ids.append("")
        upload.number, upload.data = len(self.ids), bytearray(data.data)
        return _json(self._finished(upload))

    def _finished(self, upload: Upload) -> dict[str, Any]:
        name = f"files/made-{upload.number}"
        self.files[name] = bytes(upload.data)
        if upload.store:
            document = f"{upload.store}/documents/made-{upload.number}"
            operation = f"{upload.store}/upload/operations/made-{upload.number}"
            return {"name": operation, "done": True, "response": {"documentName": document}}
        about = {"displayName": upload.about.get("displayName") or upload.about.get("display_name")}
        return {"file": self._file(name, {**about, "mimeType": upload.kind})}

    def _file(self, name: str, about: dict[str, Any]) -> dict[str, Any]:
        data = self.files[name]
        return {
            "name": name,
            **{key: value for key, value in about.items() if value},
            "sizeBytes": str(len(data)),
            "sha256Hash": hashlib.sha256(data).hexdigest(),
            "uri": f"{GOOGLE}/v1beta/{name}",
            "downloadUri": f"{GOOGLE}/v1beta/{name}:download?alt=media",
            "state": "ACTIVE",
            "source": "UPLOADED",
        }


def _json(value: Any) -> tuple[int, list[tuple[str, str]], bytes, str]:
    return 200, [], json.dumps(value).encode(), JSON


def _error(status: int, message: str) -> tuple[int, list[tuple[str, str]], bytes, str]:
    value = {"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT"}}
    return status, [], json.dumps(value).encode(), JSON
