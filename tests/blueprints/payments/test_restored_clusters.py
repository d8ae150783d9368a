"""Withdrawals on a PostgreSQL that is restored to a time, promoted, copied and moved, with the real tools."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import psycopg2
import pytest
import requests

from models.db.connection import database, open_database, reading
from models.db.new_connections import UnusableDatabase
from models.db.postgres import IN_RECOVERY
from tests.blueprints.payments.conftest import RECONCILING, SENDING
from tests.harness.databases import administer
from tests.harness.servers import ROOT, flask_command, gunicorn
from tests.harness.waiting import wait_until
from tests.support.clusters import (
    NAME,
    NEWEST,
    OLDER,
    ByBaseBackup,
    ByPgBackRest,
    Cluster,
    clusters,
    with_tables,
)

pytestmark = pytest.mark.process


@pytest.fixture
def place():
    with clusters() as place:
        yield place


@pytest.fixture
def tool(request, place):
    return getattr(request, "param", ByBaseBackup)(place)


@pytest.fixture
def primary(request, place, tool):
    cluster = place.new_cluster("primary", programs=tool.programs, archive_command=tool.archive_command)
    if isinstance(tool, ByPgBackRest):
        tool.configure(cluster)
    return cluster


@pytest.fixture
def database_url(primary):
    yield with_tables(primary)
    database.obj.close_all()


@pytest.fixture(autouse=True)
def audited():
    """Nothing: the first database is gone after these tests."""


@pytest.fixture
def sign(services, clock):
    """Signs what waits, as the background tasks do: payments are anchored once a minute."""

    def sign():
        clock.advance(seconds=61)
        services.log.append_now()

    return sign


@pytest.fixture
def moved(make_app, settings, clock, end_lease):
    """The app on another database, started on the same machine."""

    def start(url):
        app = make_app(clock=clock, DATABASE_URL=url, **settings)
        end_lease()
        return app

    return start


def ask(cluster, statement):
    with closing(psycopg2.connect(cluster.url)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        cursor.execute(statement)
        return cursor.fetchone()[0]


def held(app):
    return app.test_client().get("/readyz").json.get("held", "")


def paid(fake, amount):
    """The states of the payouts of this amount."""
    return [payout.state for payout in fake.payouts if payout.amount == amount]


@pytest.mark.parametrize(
    "tool",
    [ByBaseBackup, pytest.param(ByPgBackRest, marks=[pytest.mark.pgbackrest, pytest.mark.postgresql])],
    indirect=True,
)
@pytest.mark.security("Restored database")
def test_a_recovery_to_a_time_pays_no_withdrawal_twice(
    tool, primary, place, fake, completed, sign, moved, work, player
):
    sign()
    tool.back_up(primary)
    # pgBackRest counts in seconds.
    time = ask(primary, "SELECT clock_timestamp()::text FROM (SELECT pg_sleep(1.1)) AS later")
    completed(25)
    sign()
    ask(primary, "SELECT pg_switch_wal()::text")
    primary.stop()
    restored = Cluster(place, "restored", tool.programs)
    tool.restore(restored, time)
    restored.start()
    restored.promote()

    app = moved(restored.url)
    request = {"method": "BTC-CHAIN", "amount": 25, "to": fake.address("alice")}
    answer = app.test_client().post("/payments/withdrawals", json=request, headers=player.headers)
    for task in (SENDING, RECONCILING, SENDING):
        work(app, task)

    assert answer.json["withdrawal"]["status"] == "requested"
    assert "it lacks the end of the log" in held(app)
    assert paid(fake, 25) == ["Completed"]


def test_a_server_waits_for_the_end_of_a_paused_recovery(tool, primary, place, env, warm_start, tmp_path):
    tool.back_up(primary)
    time = ask(primary, "SELECT clock_timestamp()::text")
    administer(primary.url, "CREATE TABLE later ()")
    ask(primary, "SELECT pg_switch_wal()::text")
    primary.stop()
    restored = Cluster(place, "restored", tool.programs)
    tool.restore(restored, time)
    restored.start()
    starting = env | {"DATABASE_URL": restored.url}

    with warm_start.server_process(gunicorn(), starting, tmp_path) as server:
        checked = subprocess.run(
            [*flask_command(), "check"],
            check=False,
            cwd=ROOT,
            env=os.environ | starting,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert requests.get(f"{server.url}/readyz", timeout=20).json() == {"error": IN_RECOVERY}
        assert checked.stderr.splitlines() == [f"DATABASE_URL: {IN_RECOVERY}"]
        assert IN_RECOVERY in server.log.read_text()
        restored.promote()

        wait_until(lambda: requests.get(f"{server.url}/readyz", timeout=20).status_code == 200)


def test_a_promoted_replica_that_lacks_nothing_sends_after_a_reconciliation(
    primary, place, fake, withdraw, sign, moved, work
):
    withdraw()
    sign()
    replica = Cluster(place, "replica", NEWEST)
    primary.base_backup(replica.data, "--write-recovery-conf")
    replica.start()
    wait_until(lambda: ask(primary, "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = sent_lsn"))
    primary.stop()
    replica.promote()

    app = moved(replica.url)
    work(app, SENDING)
    before = (held(app), list(fake.payouts))
    work(app, RECONCILING)
    work(app, SENDING)

    assert "it is not the database that was used last" in before[0]
    assert (before[1], held(app), len(fake.payouts)) == ([], "", 1)


@pytest.fixture
def of_older_version(place):
    return place.new_cluster("older", programs=OLDER)


def test_a_dump_that_moves_to_a_newer_version_holds_withdrawals_at_first(
    of_older_version, place, moved, make_app, settings, clock, tmp_path, work, primary
):
    before = make_app(clock=clock, DATABASE_URL=with_tables(of_older_version), **settings)
    before.extensions["services"].log.watch()
    database.obj.close_all()
    dump = tmp_path / "dump"
    options = ["--format=custom", f"--file={dump}"]
    subprocess.run([NEWEST / "pg_dump", *options, of_older_version.url], check=True, timeout=60)
    administer(primary.url_of("postgres"), f"DROP DATABASE {NAME} WITH (FORCE)", f"CREATE DATABASE {NAME}")
    restore = [NEWEST / "pg_restore", "--exit-on-error", "--no-owner", f"--dbname={primary.url}", dump]
    subprocess.run(restore, check=True, timeout=60)

    app = moved(primary.url)
    work(app, SENDING)
    app.extensions["services"].payout_hold.current()

    assert "it is not the database that was used last" in held(app)


def test_connections_through_an_address_of_two_hosts_lead_to_one_of_two_primaries(primary, place):
    """As after a failover whose old primary goes on."""
    with_tables(primary)
    other = Cluster(place, "other", NEWEST)
    primary.base_backup(other.data, "--write-recovery-conf")
    other.start()
    other.promote()
    hosts = f"{primary.socket},{other.socket}"
    opened = open_database(f"postgresql://postgres@/{NAME}?host={hosts}&load_balance_hosts=random")

    def show(_number):
        with suppress(UnusableDatabase), reading():
            return database.execute_sql("SELECT pg_walfile_name(pg_current_wal_lsn())").fetchone()[0][:8]

    with reading(), ThreadPoolExecutor(8) as together:
        shown = set(together.map(show, range(60)))
    opened.close_all()

    assert len(shown - {None}) == 1
    assert None in shown
