"""The same load on several servers in turn, so that what else the machine does meets all of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from tools.load import load
from tools.processes import Server

ROUNDS = 6
SECONDS = 1.5


async def compare(servers: Sequence[Server], request: bytes, connections: int) -> None:
    """Put the load on each in turn, a few times, and print what each did, and the first against each other one."""
    rates: dict[str, list[float]] = {server.name: [] for server in servers}
    cpu: dict[str, list[float]] = {server.name: [] for server in servers}
    for number in range(ROUNDS + 1):
        for server in servers:
            before = server.cpu()
            rate, seconds = await load(server.port, request, connections, SECONDS)
            if number:  # the first round warms up
                rates[server.name].append(rate)
                cpu[server.name].append((server.cpu() - before) / (rate * seconds) * 1e6)
    print(f"{connections} connection{'s' * (connections > 1)}")
    for server in servers:
        print(
            f"  {server.name:16} {statistics.median(rates[server.name]):6.0f} requests/s, "
            f"{statistics.median(cpu[server.name]):5.0f} us of CPU each"
        )
    first, *others = (server.name for server in servers)
    for other in others:
        print(
            f"  {first} against {other}, median of {ROUNDS} rounds: "
            f"{_ratio(rates[first], rates[other]):.2f} of its requests per second, "
            f"{_ratio(cpu[first], cpu[other]):.2f} of its CPU"
        )


def _ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(our / their for our, their in zip(ours, theirs, strict=True))
