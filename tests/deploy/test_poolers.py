"""The platform behind PgBouncer and Pgpool-II: sessions work, and PgBouncer's other modes are refused."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from models.db.connection import database, reading
from models.db.new_connections import NOT_PER_SESSION, OWN_SETTINGS
from tests.harness.poolers import pgbouncer, pgpool
from tests.harness.spins import play_spin
from tests.support.apps import import_item
from tests.support.markers import postgresql_only

pytestmark = [pytest.mark.thorough, postgresql_only]

SPINS = 8


@pytest.fixture
def behind(env, make_app):
    """Makes an app whose database is behind PgBouncer in this mode, or behind Pgpool-II."""
    with ExitStack() as stack:

        def make(pooler):
            url = env["DATABASE_URL"]
            running = pgpool(url) if pooler == "pgpool" else pgbouncer(url, pool_mode=pooler)
            app = make_app(DATABASE_URL=stack.enter_context(running))
            stack.callback(database.obj.close_all)
            return app

        yield make


@pytest.mark.parametrize(
    "pooler",
    [
        pytest.param("session", marks=pytest.mark.pgbouncer),
        pytest.param("pgpool", marks=pytest.mark.pgpool),
    ],
)
def test_all_bets_settle_with_the_settings_of_the_product(behind, new_player, pooler):
    app = behind(pooler)
    players, item = [new_player(f"player-{number}") for number in range(8)], import_item()

    with ThreadPoolExecutor(8) as pool:
        bets = pool.map(lambda player: [play_spin(app, player, item) for _ in range(SPINS)], players)
        nonces = [[settled.bet.nonce for settled in each] for each in bets]

    assert nonces == [[*range(1, SPINS + 1)]] * 8
    with reading():
        shown = {name: database.execute_sql(f"SHOW {name}").fetchone()[0] for name in OWN_SETTINGS}
    assert shown == OWN_SETTINGS
    assert app.test_cli_runner().invoke(args=["check"]).exit_code == 0
    assert app.test_cli_runner().invoke(args=["db", "upgrade"]).output == '{"applied":[]}\n'


@pytest.mark.pgbouncer
@pytest.mark.parametrize("pool_mode", ["transaction", "statement"])
def test_other_modes_are_refused_in_one_line(behind, pool_mode):
    app = behind(pool_mode)

    checked = app.test_cli_runner().invoke(args=["check"])
    upgraded = app.test_cli_runner().invoke(args=["db", "upgrade"])

    assert (checked.exit_code, checked.stderr) == (1, f"DATABASE_URL: {NOT_PER_SESSION}\n")
    assert (upgraded.exit_code, upgraded.stderr) == (1, f"Error: DATABASE_URL: {NOT_PER_SESSION}\n")
    assert app.test_client().get("/readyz").json == {"error": NOT_PER_SESSION}
