"""A Redis server from Debian, which can be paused, killed and cut off."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from bench.harness.programs import REDIS
from bench.harness.servers import free_port
from bench.harness.waiting import can_connect, wait_until


class RedisServer:
    """One server without persistence. Its address stays the same after a restart."""

    def __init__(self, directory: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._directory = directory
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = {"port": self.port, "bind": "127.0.0.1", "save": "", "dir": self._directory}
        arguments = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        with (self._directory / "redis.log").open("ab") as log:
            # In a session of its own: Ctrl-C must not stop it before the processes that use it.
            self._process = subprocess.Popen(
                [str(REDIS.path), *arguments], stdout=log, stderr=log, start_new_session=True
            )
        wait_until(lambda: can_connect(self.port))

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Kill it, and start it again, empty, after the block."""
        self.kill()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the process for the block, so that it accepts connections and answers nothing."""
        os.kill(self._process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._process.pid, signal.SIGCONT)

    def cut_subscribers(self) -> int:
        """Close the connections that listen to messages, and no others; returns how many there were."""
        with redis.Redis.from_url(self.url, socket_timeout=5) as client:
            return int(client.execute_command("CLIENT", "KILL", "TYPE", "pubsub"))


@contextmanager
def redis_server(directory: Path) -> Iterator[RedisServer]:
    server = RedisServer(directory)
    try:
        yield server
    finally:
        server.kill()
