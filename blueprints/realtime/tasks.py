"""The number of tasks in the background, which an orderly end waits for."""

import threading


class Tasks:
    """Counts the background tasks and events that are running."""

    def __init__(self) -> None:
        self._running = 0
        self._guard = threading.Lock()

    def begin(self) -> None:
        with self._guard:
            self._running += 1

    def end(self) -> None:
        with self._guard:
            self._running -= 1

    def __len__(self) -> int:
        return self._running
