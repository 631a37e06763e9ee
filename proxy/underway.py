"""The exchanges that are on their way: found by their flow, and brought on when their connections are."""

from __future__ import annotations

from collections.abc import Iterator

from mitmproxy import connection

from .recording import Recording, Stage


class Underway(dict[str, Recording]):
    """Recordings by the id of their flow."""

    def connecting(self, client: connection.Client, server: connection.Server) -> None:
        """A connection is being opened for the request that waits on this client's."""
        for recording in self._of(client, Stage.WAITING):
            recording.server = server
            recording.enter(Stage.CONNECTING)

    def connected(self, client: connection.Client, server: connection.Connection) -> None:
        """It is there, and the wait for the answer begins; where it is one to a proxy, the way goes on from there."""
        for recording in self._of(client, Stage.CONNECTING):
            via = recording.flow.server_conn.via
            if via is None or via[1] != getattr(server, "address", None):
                recording.enter(Stage.WAITING)

    def take_all(self, peer: object) -> list[Recording]:
        """Take out whatever came from a client's address."""
        return [
            self.pop(key)
            for key, recording in list(self.items())
            if recording.flow.client_conn.peername == peer
        ]

    def _of(self, client: connection.Client, stage: Stage) -> Iterator[Recording]:
        return (
            recording
            for recording in list(self.values())
            if recording.stage is stage and recording.flow.client_conn.id == client.id
        )
