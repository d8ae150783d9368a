"""What ``flask ledger audit`` reports about rows that were changed by hand."""

import json
from collections.abc import Iterable, Mapping, Sequence

from flask import Flask

from models.db.connection import database, writing


def check_reports(
    app: Flask,
    tampered: Iterable[tuple[str | Sequence[str], Sequence[str]]],
    ids: Mapping[str, object],
    names: Mapping[str, object],
) -> None:
    """Assert that the audit prints exactly these lines after one or more statements, which are undone.

    The statements contain names of ``ids``, and the lines those of ``names``.
    """
    for statements, lines in tampered:
        with writing(), database.atomic() as savepoint:
            for statement in [statements] if isinstance(statements, str) else statements:
                database.execute_sql(statement.format(**ids))
            result = app.test_cli_runner().invoke(args=["ledger", "audit"])
            savepoint.rollback()
        *reported, last = result.stderr.splitlines()
        assert sorted(reported) == sorted(line.format(**names) for line in lines), statements
        assert last == f"Error: {len(lines)} mismatches"
        assert (result.exit_code, json.loads(result.stdout)["mismatches"]) == (1, len(lines))
