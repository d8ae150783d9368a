"""The log of a database with bets from before it begins with their digest."""

import hashlib
import hmac
import json

import pytest

from models.db.connection import database, reading
from models.log import BETS, Log
from tests.blueprints.log.conftest import content
from tests.support.older_databases import database_of_0_2_0

pytestmark = pytest.mark.guarantee("The public log")


@pytest.fixture
def settings(database_url, tmp_path):
    return {"DATABASE_URL": database_of_0_2_0(database_url, tmp_path, players=True)}


@reading()
def older_bets():
    """Number and digest of the bets that ``players.sql`` has, as docs/fairness-log.md says it."""
    key = bytes.fromhex(Log.select(Log.player_key).where(Log.name == BETS).scalar())
    query = (
        "SELECT server_seed_commitment, nonce, payout_cents, platform_id, wager_cents FROM bets"
        " JOIN users ON users.id = bets.user_id WHERE next_commitment_bytes IS NULL ORDER BY bets.id"
    )
    names = ("commitment", "nonce", "payout", "player", "wager")
    lines = []
    for row in database.execute_sql(query).fetchall():
        values = dict(zip(names, row, strict=True))
        values["player"] = hmac.new(key, values["player"].encode(), hashlib.sha256).hexdigest()[:32]
        lines.append(json.dumps(values, sort_keys=True, separators=(",", ":")) + "\n")
    return len(lines), hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.mark.both_databases("a migration")
def test_an_upgraded_database_begins_with_the_digest_of_its_older_bets(run, entries_of, log):
    run("db", "upgrade")
    run("db", "upgrade")

    log.append_waiting()
    log.watch()

    first = content(entries_of("000.p/1")[0])
    assert first.keys() == {"at", "bets", "digest", "v"}
    assert (first["bets"], first["digest"]) == older_bets()
    assert first["bets"] > 0


def test_flask_log_verify_compares_the_older_bets(run, log):
    run("db", "upgrade")
    log.watch()

    found = run("log", "verify")

    assert (found["problems"], found["entries"] > 0) == (0, True)
