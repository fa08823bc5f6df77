# SPDX-License-Identifier: MIT
"""Ctrl-C while C is at work."""
from __future__ import annotations

import os
import signal
import threading
from typing import Any


class Interrupt:
    """Within ``with Interrupt(stop)`` SIGINT sets stop[0], at once, and is raised as KeyboardInterrupt at the end by `again`.

    Python hears of a signal only when its own code runs next, and a built-in problem may keep C busy for hours. But a byte
    goes into the wake-up file at once, and a thread waits for it. Handlers of the user's own, and wake-up files of others
    (an event loop's), are left alone."""

    def __init__(self, stop: Any) -> None:
        self.stop, self.came, self.mine = stop, False, False

    def __enter__(self) -> "Interrupt":
        if (threading.current_thread() is not threading.main_thread()
                or signal.getsignal(signal.SIGINT) is not signal.default_int_handler):
            return self
        self.end, wake = os.pipe()
        os.set_blocking(wake, False)
        others = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        if others != -1:
            signal.set_wakeup_fd(others)
        self.mine, self.wake, self.others = True, wake, others
        signal.signal(signal.SIGINT, self._heard)
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()
        return self

    def _heard(self, *_: Any) -> None:
        self.came, self.stop[0] = True, 1

    def _listen(self) -> None:
        while number := os.read(self.end, 1):
            if number[0] == signal.SIGINT:
                self._heard()

    def __exit__(self, *_: Any) -> None:
        if not self.mine:
            return
        if self.others == -1:
            signal.set_wakeup_fd(-1)
        os.close(self.wake)
        self.thread.join()
        os.close(self.end)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def again(self) -> Any:
        """The exception that SIGINT stands for, if it came."""
        if not self.came:
            return None
        self.stop[0] = 0
        return KeyboardInterrupt()
