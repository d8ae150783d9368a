"""Several processes of the platform on one PostgreSQL and one Redis, and nginx in front of them."""

import itertools
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.harness.nginx import nginx
from bench.harness.redis_server import RedisServer, redis_server
from bench.harness.servers import RunningServer, gunicorn, server_process

PROCESSES = 3


@dataclass
class Process:
    """One gunicorn process of a cluster, which keeps its port and its settings when it is started again."""

    env: Mapping[str, str]
    directory: Path
    target: str
    running: RunningServer | None = None
    _stack: ExitStack = field(default_factory=ExitStack)
    _port: int | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = gunicorn(self.target)
        self.running = self._stack.enter_context(
            server_process(command, self.env, self.directory, port=self._port)
        )
        self._port = self.running.port

    def stop(self) -> int:
        """Stop it in order. Returns the exit code."""
        assert self.running is not None
        stopping, self.running = self.running, None
        code = stopping.stop()
        self._stack.close()
        return code

    def kill(self) -> None:
        """Kill it, as a crash would. Does nothing when it does not run."""
        self.running = None
        self._stack.close()


@dataclass
class Cluster:
    """Processes that serve one database, and the Redis between them."""

    processes: list[Process]
    redis: RedisServer
    _turns: Iterator[int] = field(default_factory=itertools.count)

    @property
    def url(self) -> str:
        """The address of a running process, each time the next one's."""
        running = [each.running for each in self.processes if each.running]
        return running[next(self._turns) % len(running)].url

    @property
    def urls(self) -> list[str]:
        """The addresses of the running processes."""
        return [each.running.url for each in self.processes if each.running]

    @property
    def ports(self) -> list[int]:
        return [each.running.port for each in self.processes if each.running]


@contextmanager
def cluster(
    env: Mapping[str, str],
    directory: Path,
    *,
    processes: int = PROCESSES,
    own_instances: bool = False,
    target: str = "wsgi:app",
    redis: RedisServer | None = None,
) -> Iterator[Cluster]:
    """Start so many processes with these settings, of which ``DATABASE_URL`` must be given.

    They share the instance directory of the settings, or each has one of its own, as on several machines.
    Without secrets in the settings new ones are drawn. ``redis`` is a server to be used instead of a new one.
    """
    drawn = {name: secrets.token_hex(32) for name in ("SECRET_KEY", "JWT_SECRET")}
    with ExitStack() as stack:
        signals = redis or stack.enter_context(redis_server(directory))
        shared = {**drawn, **env, "REDIS_URL": signals.url}
        shared.setdefault("INSTANCE_DIR", str(directory / "instance"))
        started = Cluster([], signals)
        for number in range(processes):
            own = {"INSTANCE_DIR": f"{shared['INSTANCE_DIR']}-{number}"} if own_instances else {}
            process = Process(shared | own, directory, target)
            stack.callback(process.kill)
            started.processes.append(process)
            process.start()
        yield started


@contextmanager
def nginx_before(started: Cluster, directory: Path, *, port: int | None = None) -> Iterator[str]:
    """Run nginx with the configuration of deploy/ in front of a cluster; yields its address.

    The settings of the processes need ``TRUSTED_PROXIES`` of 1 and this address as ``BASE_URL``.
    """
    instance_dir = Path(started.processes[0].env["INSTANCE_DIR"])
    with nginx(upstream_ports=started.ports, instance_dir=instance_dir, directory=directory, port=port) as (
        address,
        _,
    ):
        yield address
