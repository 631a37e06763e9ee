"""A proxy of the user's on loopback: tunnels by CONNECT and plain requests, all led to one server, whatever they name."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Self


class ParentProxy:
    """The proxy; `heads` is what it was asked, the lines of each request."""

    def __init__(self, target: int, *, refuses: str = "") -> None:
        """Lead everything to a port of this machine; where `refuses` is a status line, answer with it instead."""
        self.heads: list[list[str]] = []
        self._target = target
        self._refuses = refuses
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for opened in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
            opened.close()

    @property
    def asked(self) -> list[str]:
        """The first line of each request."""
        return [head[0] for head in self.heads]

    def header(self, name: str, request: int = 0) -> str | None:
        """A header of one request."""
        fields = dict(line.lower().split(": ", 1) for line in self.heads[request][1:])
        if name.lower() not in fields:
            return None
        return next(
            line.split(": ", 1)[1]
            for line in self.heads[request][1:]
            if line.lower().startswith(name.lower())
        )

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._open.append(client)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            raw = b""
            while b"\r\n\r\n" not in raw:
                if not (data := client.recv(65_536)):
                    return
                raw += data
            head, _, rest = raw.partition(b"\r\n\r\n")
            self.heads.append(head.decode("latin-1").split("\r\n"))
            if self._refuses:
                client.sendall(f"HTTP/1.1 {self._refuses}\r\nContent-Length: 0\r\n\r\n".encode())
                client.shutdown(socket.SHUT_RDWR)
                return
            server = socket.create_connection(("127.0.0.1", self._target), timeout=20)
            self._open.append(server)
            if head.startswith(b"CONNECT "):
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                server.sendall(rest)
            else:
                server.sendall(raw)
            threading.Thread(target=_relay, args=(server, client), daemon=True).start()
            _relay(client, server)


def _relay(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
