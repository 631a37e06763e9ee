"""A cache that remembers what was used last, as much of it as its weight allows.

Half empty, it does not care what was used when, which makes the common case a look into a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Bounded(Generic[K, V]):
    """Keeps the values that were used last. Not safe for use by several threads at once."""

    def __init__(self, weight: int, dropped: Callable[[V], None] | None = None) -> None:
        """Make an empty cache.

        Args:
            weight: what all values together may weigh, in the unit that `put` is told.
            dropped: called with each value that has to go, also with one that was too heavy to be kept at all.
        """
        self._limit = weight
        self._dropped = dropped
        self._weight = 0
        self._items: dict[K, tuple[V, int]] = {}

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: K) -> V | None:
        """The value of a key, None where it is not kept (any more)."""
        item = self._items.get(key)
        if item is None:
            return None
        if self._weight > self._limit // 2:
            self._items[key] = self._items.pop(key)  # a dictionary's order is that of putting in
        return item[0]

    def put(self, key: K, value: V, weight: int) -> None:
        """Keep a value; the ones that were not used for longest make room."""
        self._drop(key)
        if weight > self._limit:
            if self._dropped:
                self._dropped(value)
            return
        while self._weight + weight > self._limit:
            self._drop(next(iter(self._items)))
        self._items[key] = (value, weight)
        self._weight += weight

    def clear(self) -> None:
        """Forget everything, without telling."""
        self._items.clear()
        self._weight = 0

    def _drop(self, key: K) -> None:
        item = self._items.pop(key, None)
        if item is None:
            return
        value, freed = item
        self._weight -= freed
        if self._dropped:
            self._dropped(value)
