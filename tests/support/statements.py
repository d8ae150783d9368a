"""The statements that requests send to the database."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from engineio.async_drivers.threading import DaemonThread


@contextmanager
def recorded_statements() -> Iterator[list[tuple[str, object]]]:
    """Record statements and their parameters, but for those of the socket server's background tasks."""
    seen: list[tuple[str, object]] = []
    log = logging.getLogger("peewee")

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.name == log.name and not isinstance(threading.current_thread(), DaemonThread):
                seen.append(record.msg)

    collector = Collector()
    log.addHandler(collector)
    log.setLevel(logging.DEBUG)
    try:
        yield seen
    finally:
        log.removeHandler(collector)
        log.setLevel(logging.NOTSET)
