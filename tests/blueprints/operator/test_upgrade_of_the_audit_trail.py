"""flask db upgrade on a database whose audit trail has seals: its events are the first ones of the log."""

import pytest

from models.db import migrate
from models.db.connection import database, reading, writing
from services.audit_trail.canonical import SIGNED_COLUMNS, event_text
from services.audit_trail.keys import Purpose
from tests.support.older_databases import database_of_0_2_0

pytestmark = [pytest.mark.thorough, pytest.mark.both_databases("migrations")]

AT = 1_700_000_000_000


@pytest.fixture
def clock():
    return lambda: AT


@pytest.fixture
def settings(database_url, tmp_path):
    return {"DATABASE_URL": database_of_0_2_0(database_url, tmp_path)}


@pytest.fixture
def execute(app):
    @writing()
    def execute(statement, values=()):
        database.execute_sql(statement.replace("?", database.obj.param), values)

    return execute


@pytest.fixture
def sealed(app, execute):
    """Five sealed events, and one that waits for its seal."""
    keys = app.extensions["services"].audit_keys
    with reading():
        migrate.Runner(database.obj, str(migrate.DIRECTORY)).up("0028_log")
    for number in range(1, 7):
        row = dict.fromkeys(SIGNED_COLUMNS) | {"id": number, "at_ms": AT, "who": "system", "what": "x"}
        row |= {"after": '{"a":1}', "key_id": keys.current_id}
        row["mac"] = keys.sign(Purpose.EVENT, event_text(row))
        names = ", ".join(f'"{name}"' for name in row)
        execute(f"INSERT INTO audit_events ({names}) VALUES ({', '.join('?' * 10)})", tuple(row.values()))  # noqa: S608
    seals = "INSERT INTO audit_seals VALUES (?, ?, ?, ?, ?, ?)"
    for number in range(1, 6):
        earlier = (number - 1, f"seal {number - 1}") if number > 1 else (None, "")
        execute(seals, (number, number, *earlier, keys.current_id, f"seal {number}"))
    execute("INSERT INTO audit_unsealed VALUES (6)")


@pytest.fixture
def upgrade(app, sealed, run):
    """Upgrades the database, and starts the log."""

    def upgrade():
        run("db", "upgrade")
        services = app.extensions["services"]
        services.audit_keys.store()
        services.audit_log.watch()
        services.audit_log.append_waiting()

    return upgrade


def test_an_older_trail_is_in_the_log_after_an_entry_about_its_seals(upgrade, run):
    upgrade()

    assert run("audit", "verify") == {"logged": 6, "waiting": 0, "problems": 0}
    first, *events, _ = run("audit", "export")
    assert (first["seals"], first["lastSeal"], first["breaks"]) == (5, "seal 5", 0)
    assert [event["id"] for event in events] == [1, 2, 3, 4, 5, 6]
    assert events[0]["after"] == {"a": 1}


@pytest.mark.security("The audit trail")
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE audit_events SET who = 'y' WHERE id = 3", "audit event 3 was inserted"),
        ("DELETE FROM audit_events WHERE id = 3", "audit event 3 is missing"),
        ("DELETE FROM audit_seals WHERE number = 3", "audit event 3 is not in the log"),
        ("DELETE FROM audit_seals WHERE number = 3", "1 audit seals did not follow the one before"),
        ("UPDATE audit_seals SET seal = 'x' WHERE number = 3", "1 audit seals did not follow the one before"),
    ],
)
def test_what_was_changed_before_the_upgrade_is_still_reported(
    sealed, execute, upgrade, fails, database_url, change, problem
):
    table = change.removeprefix("UPDATE ").removeprefix("DELETE FROM ").split()[0]
    if database_url.startswith("sqlite"):
        for verb in ("update", "delete"):
            execute(f"DROP TRIGGER {table}_refuse_{verb}")
    else:
        execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    execute(change)

    upgrade()

    assert problem in fails("audit", "verify")
