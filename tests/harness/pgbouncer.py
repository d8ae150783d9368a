"""PgBouncer from Debian, before a PostgreSQL server of the tests."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from psycopg2.extensions import parse_dsn

from tests.harness.programs import PGBOUNCER
from tests.harness.servers import free_port
from tests.harness.waiting import can_connect, wait_until

CONFIGURATION = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen_port}
unix_socket_dir =
auth_type = any
pool_mode = {pool_mode}
default_pool_size = 40
"""
SERVERS_USER = "pgserver"
"""Runs PostgreSQL for root, and may use its socket. PgBouncer refuses to run as root."""


@contextmanager
def pgbouncer(database_url: str, directory: Path, *, pool_mode: str) -> Iterator[str]:
    """Run PgBouncer in front of the server of this database; yields the database's address there."""
    server = parse_dsn(database_url)
    listen_port = free_port()
    configuration = directory / f"pgbouncer-{listen_port}.ini"
    configuration.write_text(
        CONFIGURATION.format(
            host=server["host"],
            port=server.get("port", 5432),
            user=server["user"],
            listen_port=listen_port,
            pool_mode=pool_mode,
        )
    )
    with configuration.open() as opened:
        process = subprocess.Popen(
            # Its user may not read the directory of a test.
            [str(PGBOUNCER.path), "--quiet", "/dev/stdin"],
            stdin=opened,
            user=SERVERS_USER if os.geteuid() == 0 else None,
            start_new_session=True,
        )
    try:
        wait_until(lambda: can_connect(listen_port) or process.poll() is not None)
        assert process.poll() is None
        yield f"postgresql://{server['user']}@127.0.0.1:{listen_port}{urlsplit(database_url).path}"
    finally:
        process.kill()
        process.wait(30)
