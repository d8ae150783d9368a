"""A Redis server that can be paused, killed and started again."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis

from bench.harness.programs import REDIS
from bench.harness.servers import free_port
from bench.harness.waiting import can_connect, wait_until


class RedisServer:
    """A server on a port of this machine, without persistence."""

    def __init__(self, *options: str) -> None:
        self.port = free_port()
        self._options = options
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, again on the same port, and wait until it listens."""
        command = [str(REDIS.path), "--port", str(self.port), "--save", "", *self._options]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd="/")
        wait_until(lambda: can_connect(self.port))

    def pause(self) -> None:
        """Stop answering, with all connections open."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def client(self) -> Redis:
        """A client for the test itself, such as for ``CLIENT KILL``."""
        return Redis.from_url(self.url, socket_timeout=10)


@contextmanager
def redis_server(*options: str) -> Iterator[RedisServer]:
    """A new server with these options, such as ``--requirepass``, which is stopped afterwards."""
    server = RedisServer(*options)
    try:
        yield server
    finally:
        server.kill()
