"""The platform behind PgBouncer: it works in session mode, and is refused in the other modes."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from bench.harness.pgbouncer import pgbouncer
from bench.harness.spins import play_spin
from models.db.connection import database, reading
from models.db.new_connections import NOT_PER_SESSION, OWN_SETTINGS
from tests.support.apps import import_item
from tests.support.markers import postgresql_only

pytestmark = [pytest.mark.pgbouncer, pytest.mark.thorough, postgresql_only]

SPINS = 8


@pytest.fixture
def behind(env, make_app, tmp_path):
    """Makes an app whose database is behind PgBouncer in this mode, and ends both."""
    running = []

    def make(pool_mode):
        running.append(pgbouncer(env["DATABASE_URL"], tmp_path, pool_mode=pool_mode))
        return make_app(DATABASE_URL=running[-1].__enter__())

    yield make
    database.obj.close_all()
    for each in running:
        each.__exit__(None, None, None)


def test_all_bets_settle_in_session_mode_with_the_settings_of_the_product(behind, new_player):
    app = behind("session")
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


@pytest.mark.parametrize("pool_mode", ["transaction", "statement"])
def test_other_modes_are_refused_in_one_line(behind, pool_mode):
    app = behind(pool_mode)

    checked = app.test_cli_runner().invoke(args=["check"])
    upgraded = app.test_cli_runner().invoke(args=["db", "upgrade"])

    assert (checked.exit_code, checked.stderr) == (1, f"DATABASE_URL: {NOT_PER_SESSION}\n")
    assert (upgraded.exit_code, upgraded.stderr) == (1, f"Error: DATABASE_URL: {NOT_PER_SESSION}\n")
    assert app.test_client().get("/readyz").json == {"error": NOT_PER_SESSION}
