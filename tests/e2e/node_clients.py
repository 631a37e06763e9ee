"""The clients for Node, and curl."""

from __future__ import annotations

from tests.e2e.table import Client

NODE_CLIENTS: tuple[Client, ...] = ()
