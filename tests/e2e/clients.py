"""The table of clients: every one of them runs its flows through a recording and a replay."""

from __future__ import annotations

from tests.e2e.node_clients import NODE_CLIENTS
from tests.e2e.python_clients import PYTHON_CLIENTS

CLIENTS = (*PYTHON_CLIENTS, *NODE_CLIENTS)
