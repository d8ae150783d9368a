"""What ``flask ledger audit`` reports about rows that were changed by hand."""

from collections.abc import Callable, Mapping

from models.db.connection import database, writing


def check_reports(
    fails: Callable[..., str],
    tampered: Mapping[str, list[str]],
    ids: Mapping[str, int],
    names: Mapping[str, object],
) -> None:
    """Assert that the audit prints exactly these lines after each of these statements, which is undone.

    The statements contain names of ``ids``, and the lines those of ``names``.
    """
    reported = {}
    for statement in tampered:
        with writing(), database.atomic() as savepoint:
            database.execute_sql(statement.format(**ids))
            reported[statement] = sorted(fails("ledger", "audit").splitlines()[:-1])
            savepoint.rollback()
    assert reported == {
        statement: sorted(line.format(**names) for line in lines) for statement, lines in tampered.items()
    }
