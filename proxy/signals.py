"""The signals that end a run: noted while there is no loop yet that could act on them, then given to the loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, Self

_ENDING: Final = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """Takes SIGINT and SIGTERM for a `with` block, so that neither breaks off what begins in it.

    Only the main thread can take them; on others nothing happens. On Windows a loop takes none: there Ctrl-C cancels the
    run, with the same end.
    """

    def __init__(self) -> None:
        self._noted = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Note the signals from now on; those that are to be ignored stay so."""
        if _on_main_thread() and os.name == "posix":
            handlers = {number: signal.getsignal(number) for number in _ENDING}
            self._before = {number: was for number, was in handlers.items() if was is not signal.SIG_IGN}
            for number in self._before:
                signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        """Let the signals do what they did before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def hand_over(self, stop: Callable[[], None]) -> None:
        """Let the running loop call `stop` when a signal comes; now, if one came already."""
        if _on_main_thread():
            loop = asyncio.get_running_loop()
            for number in _ENDING:
                with contextlib.suppress(NotImplementedError):
                    loop.add_signal_handler(number, stop)
        if self._noted:
            stop()

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._noted = True


def _on_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
