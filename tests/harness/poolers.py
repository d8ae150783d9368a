"""Poolers from Debian, before a PostgreSQL server of the tests."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from psycopg2.extensions import parse_dsn

from tests.harness.programs import PGBOUNCER, PGPOOL, running
from tests.harness.servers import free_port

PGBOUNCER_CONFIGURATION = """
[databases]
* = host={host} port={backend_port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {pool_mode}
default_pool_size = 40
"""
PGPOOL_CONFIGURATION = """
backend_clustering_mode = 'streaming_replication'
load_balance_mode = off
num_init_children = 32
max_pool = 1
backend_hostname0 = '{host}'
backend_port0 = {backend_port}
backend_flag0 = 'ALWAYS_PRIMARY|DISALLOW_TO_FAILOVER'
sr_check_period = 0
listen_addresses = '127.0.0.1'
port = {port}
pcp_port = {pcp_port}
socket_dir = '{directory}'
pcp_socket_dir = '{directory}'
pid_file_name = '{directory}/pgpool.pid'
logdir = '{directory}'
"""
SERVERS_USER = "pgserver" if os.geteuid() == 0 else None
"""Runs PostgreSQL for root, and may use its socket. The poolers refuse to run as root."""


@contextmanager
def pgbouncer(database_url: str, *, pool_mode: str) -> Iterator[str]:
    """Run PgBouncer in front of the server of this database; yields the database's address there."""
    with _configured(PGBOUNCER_CONFIGURATION, database_url, pool_mode=pool_mode) as (file, port, address):
        arguments = ["--quiet", file]
        with running(PGBOUNCER, arguments, port=port, end=signal.SIGKILL, user=SERVERS_USER):
            yield address


@contextmanager
def pgpool(database_url: str) -> Iterator[str]:
    """Run Pgpool-II in front of the server of this database; yields the database's address there."""
    with _configured(PGPOOL_CONFIGURATION, database_url, pcp_port=free_port()) as (file, port, address):
        options = {"user": SERVERS_USER, "stderr": subprocess.DEVNULL}
        # It stops its own processes, and waits for no client: a task of the app may be connected.
        with running(PGPOOL, ["-n", "-f", file], port=port, end=signal.SIGINT, **options):
            yield address


@contextmanager
def _configured(text: str, database_url: str, **values: object) -> Iterator[tuple[Path, int, str]]:
    """Write a configuration; yields its path, the port of the pooler, and the database's address there."""
    server, port = parse_dsn(database_url), free_port()
    backend = {"host": server["host"], "backend_port": server.get("port", 5432), "user": server["user"]}
    with tempfile.TemporaryDirectory(prefix="pooler-") as place:
        directory = Path(place)
        # The poolers' user reads and writes there.
        directory.chmod(0o777)
        file = directory / "configuration"
        file.write_text(text.format(port=port, directory=directory, **backend, **values))
        file.chmod(0o644)
        yield file, port, f"postgresql://{server['user']}@127.0.0.1:{port}{urlsplit(database_url).path}"
