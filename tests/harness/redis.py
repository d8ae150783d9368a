"""A Redis server that can be paused, killed and started again."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis

from tests.harness.programs import REDIS
from tests.harness.servers import free_port
from tests.harness.waiting import can_connect, wait_until


class RedisServer:
    """A server on a port of this machine, without persistence."""

    def __init__(self, *, password: str = "", certificate: Path | None = None) -> None:
        """``certificate`` is a PEM file with the key too; with one the server speaks TLS only."""
        self.port = free_port()
        login = f":{password}@" if password else ""
        self.url = f"redis{'s' if certificate else ''}://{login}127.0.0.1:{self.port}"
        self._command = [str(REDIS.path), "--bind", "127.0.0.1", "--save", "", "--requirepass", password]
        if certificate is None:
            self._command += ["--port", str(self.port)]
        else:
            files = ("--tls-cert-file", "--tls-key-file", "--tls-ca-cert-file")
            self._command += ["--port", "0", "--tls-port", str(self.port), "--tls-auth-clients", "no"]
            self._command += [part for option in files for part in (option, str(certificate))]
        self.start()

    def start(self) -> None:
        """Start it, again on the same port, and wait until it listens."""
        self._process = subprocess.Popen(
            self._command,
            stdout=subprocess.DEVNULL,
            cwd="/",
            # Ctrl-C must not stop it before the processes that use it.
            start_new_session=True,
        )
        wait_until(lambda: can_connect(self.port))

    @property
    def pid(self) -> int:
        return self._process.pid

    def pause(self) -> None:
        """Stop answering, with all connections open."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(30)

    @contextmanager
    def paused(self) -> Iterator[None]:
        self.pause()
        try:
            yield
        finally:
            self.resume()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Kill it, and start it again, empty, after the block."""
        self.kill()
        try:
            yield
        finally:
            self.start()

    def cut_subscribers(self, count: int) -> None:
        """Wait until so many connections listen for messages, and close these and no others."""
        with self.client() as client:
            wait_until(lambda: len(client.client_list(_type="pubsub")) == count)
            assert client.client_kill_filter(_type="pubsub") >= count

    def client(self) -> Redis:
        """A client for the test itself, such as for ``CLIENT KILL``."""
        return Redis.from_url(self.url, socket_timeout=10)


@contextmanager
def redis_server(*, password: str = "", certificate: Path | None = None) -> Iterator[RedisServer]:
    """A new server, which is killed afterwards."""
    server = RedisServer(password=password, certificate=certificate)
    try:
        yield server
    finally:
        server.kill()
