"""Pgpool-II from Debian, before a PostgreSQL server of the tests."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from psycopg2.extensions import parse_dsn

from tests.harness.pgbouncer import SERVERS_USER
from tests.harness.programs import PGPOOL
from tests.harness.servers import free_port
from tests.harness.waiting import can_connect, wait_until

CONFIGURATION = """
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


@contextmanager
def pgpool(database_url: str) -> Iterator[str]:
    """Run Pgpool-II in front of the server of this database; yields the database's address there."""
    server = parse_dsn(database_url)
    port = free_port()
    user = SERVERS_USER if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="pgpool-") as directory:
        Path(directory).chmod(0o777)
        configuration = Path(directory) / "pgpool.conf"
        configuration.write_text(
            CONFIGURATION.format(
                host=server["host"],
                backend_port=server.get("port", 5432),
                port=port,
                pcp_port=free_port(),
                directory=directory,
            )
        )
        configuration.chmod(0o644)
        process = subprocess.Popen(
            [str(PGPOOL.path), "-n", "-f", str(configuration)],
            user=user,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            wait_until(lambda: can_connect(port) or process.poll() is not None)
            assert process.poll() is None
            yield f"postgresql://{server['user']}@127.0.0.1:{port}{urlsplit(database_url).path}"
        finally:
            # It stops its own processes, and waits for no client: a task of the app may be connected.
            process.send_signal(signal.SIGINT)
            process.wait(30)
