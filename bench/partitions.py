"""Which constraints and statements would not survive a partitioning by player?

    python -m bench.partitions

Builds the migrated schema a second time on a temporary PostgreSQL, with each table that has a player
partitioned by the hash of the player's id, and prints the unique indexes that PostgreSQL refuses because they
lack that column. Citus has the same rule. Then it settles a spin there with the unchanged statement, and
prints the tables and partitions that this statement reads and writes.
"""

import logging
import re
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
from psycopg2 import extensions

from bench.harness.databases import postgres_server
from bench.speed.players import make_players
from bench.speed.stage import Stage
from models.settling_statement import PARAMETERS, SETTLE_SPIN

PARTITIONS = 4
TABLES = """
SELECT tables.table_name, (
    SELECT columns.column_name FROM information_schema.columns
    WHERE columns.table_schema = 'public' AND columns.table_name = tables.table_name
        AND columns.column_name = CASE tables.table_name WHEN 'users' THEN 'id' ELSE 'user_id' END
)
FROM information_schema.tables WHERE tables.table_schema = 'public' ORDER BY tables.table_name
"""
INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = %s"
SPIN = {
    **{name: 1 if kind == "bigint" else "lost" for name, kind in PARAMETERS.items()},
    "algorithm": "upgrader-1",
    "price_cents": 2,
    "payout_cents": 0,
}
WRITTEN = """
SELECT CAST(entries.tableoid AS regclass)::text FROM ledger_entries AS entries
JOIN bets ON bets.ledger_transaction_id = entries.transaction_id
UNION SELECT CAST(tableoid AS regclass)::text FROM bets
UNION SELECT CAST(tableoid AS regclass)::text FROM period_wagers
"""
SEED = """
SELECT seed.user_id, seed.nonce, seed.server_seed_commitment, mark.number, mark.token
FROM announced_seeds AS seed, seed_marks AS mark ORDER BY mark.number DESC LIMIT 1
"""


def partition(cursor: extensions.cursor) -> Iterator[tuple[str, str | None, list[str]]]:
    """Build the schema ``by_player`` with the rows of ``public``.

    Yields each table, the column that it is partitioned by or None, and the refused unique indexes.
    """
    cursor.execute("CREATE SCHEMA by_player")
    cursor.execute(TABLES)
    for table, column in cursor.fetchall():
        new, parts = f"by_player.{table}", f"PARTITION BY HASH ({column})" if column else ""
        like = f"LIKE public.{table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS"
        cursor.execute(f"CREATE TABLE {new} ({like}) {parts}")
        for number in range(PARTITIONS if column else 0):
            bounds = f"MODULUS {PARTITIONS}, REMAINDER {number}"
            cursor.execute(f"CREATE TABLE {new}_{number} PARTITION OF {new} FOR VALUES WITH ({bounds})")
        cursor.execute(INDEXES, [table])
        yield table, column, [name for name, made in cursor.fetchall() if not _index(cursor, name, made)]
        cursor.execute(f"INSERT INTO {new} SELECT * FROM public.{table}")  # noqa: S608  # names of tables


def _index(cursor: extensions.cursor, name: str, made: str) -> bool:
    """Make this index of the partitioned table. Returns False when PostgreSQL refuses it."""
    try:
        cursor.execute(made.replace(" public.", " by_player.").replace(f" INDEX {name} ", " INDEX "))
    except psycopg2.errors.FeatureNotSupported:
        return False
    return True


def settle(cursor: extensions.cursor) -> list[str]:
    """Settle a spin in ``by_player``; the tables and partitions that were used, in alphabetical order."""
    cursor.execute("SET search_path TO by_player")
    cursor.execute(SEED)
    names = ("user_id", "nonce", "server_seed_commitment", "mark_number", "mark_token")
    spin = SPIN | dict(zip(names, cursor.fetchone() or (), strict=True))
    cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + re.sub(r":(\w+)", r"%(\1)s", SETTLE_SPIN.text), spin)
    ((plan,),) = cursor.fetchall()
    cursor.execute(WRITTEN)
    written = [name for (name,) in cursor.fetchall()]
    assert written, "the spin was not settled"
    return sorted({*_relations(plan[0]["Plan"]), *written})


def _relations(node: dict[str, Any]) -> Iterator[str]:
    """The relations of a plan that were used. An insert names the partitioned table, not its partition."""
    if "Relation Name" in node and node["Actual Loops"]:
        yield node["Relation Name"]
    for child in node.get("Plans", ()):
        yield from _relations(child)


def main() -> None:
    logging.getLogger("platform").setLevel(logging.ERROR)
    with (
        tempfile.TemporaryDirectory() as place,
        postgres_server() as server,
        server.fresh(Path()) as url,
        closing(psycopg2.connect(url)) as connection,
    ):
        make_players(Stage(Path(place)), url, 1)
        connection.autocommit = True
        with connection.cursor() as cursor:
            for table, column, refused in partition(cursor):
                print(f"{table:24} {column or 'no player':10} {', '.join(refused)}")
            print("a spin uses:", ", ".join(settle(cursor)))


if __name__ == "__main__":
    main()
