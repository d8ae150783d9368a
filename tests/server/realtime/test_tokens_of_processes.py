"""Tokens and suspensions of a player at two processes, which know of each other by the database alone."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import requests

from models.bets import Bet, Prize
from models.db.connection import reading
from models.figures import LIVE_BET_SHARDS
from models.users import User
from server.cluster import cluster
from services.accounts import profile
from services.shared.clock import DAY_MS, now_ms
from services.wallet import affiliates, prizes
from tests.harness.players import create_player
from tests.harness.sockets import Refused
from tests.harness.waiting import wait_until
from tests.support.apps import ITEM, production_processes, two_processes
from tests.support.locks import locked, waiting_for_locks
from tests.support.openings import win_prize

SPIN = {"amount": 0.1, "item": ITEM}
UNAUTHORIZED = {"status": False, "error": "Unauthorized"}
SUSPENDED = {"status": False, "error": "Account suspended"}
IN_PROGRESS = {"status": False, "error": "A spin is already in progress"}


@pytest.fixture
def two(postgres, tmp_path, monkeypatch):
    """Two processes, here servers of threads, that compare with the database often."""
    monkeypatch.setattr(cluster, "ROUND_SECONDS", 0.2)
    with two_processes(postgres, tmp_path) as started:
        yield started


@pytest.fixture
def app(two):
    return two[0][0]


@pytest.fixture
def urls(two):
    return [url for _, url in two]


@pytest.fixture
def database_url(app):
    return app.extensions["services"].settings.database_url


@pytest.fixture
def sockets(urls, player, open_socket):
    """The player's sockets, one at each process."""
    return [open_socket(url, player) for url in urls]


def log_out(url, player):
    """The status of logging out everywhere at a process."""
    return requests.post(f"{url}/auth/logout-all", headers=player.headers, timeout=10).status_code


def statuses(urls, token):
    """The status of /auth/me at each process."""
    headers = {"Authorization": f"Bearer {token}"}
    return [requests.get(f"{url}/auth/me", headers=headers, timeout=10).status_code for url in urls]


@reading()
def nonces(player):
    return sorted(Bet.select(Bet.nonce).where(Bet.user == player.id).scalars())


def ends_sockets_at_both(urls, player, here, there):
    assert log_out(urls[0], player) == 200

    assert here.spin(SPIN) == UNAUTHORIZED
    wait_until(lambda: there.spin(SPIN) == UNAUTHORIZED)
    assert statuses(urls, player.token) == [401, 401]


@pytest.mark.security("Logging out everywhere")
def test_logging_out_at_one_process_ends_the_sockets_at_both(urls, player, sockets):
    ends_sockets_at_both(urls, player, *sockets)


@pytest.mark.redis
@pytest.mark.thorough
def test_logging_out_ends_the_sockets_at_two_production_processes(
    postgres, redis, warm_start, tmp_path, open_socket
):
    with production_processes(postgres, tmp_path, warm_start, REDIS_URL=redis.url) as (app, started):
        player = create_player(app)
        sockets = [open_socket(url, player) for url in started.urls]
        ends_sockets_at_both(started.urls, player, *sockets)


def test_the_logout_command_ends_the_sockets_at_both_processes(urls, player, sockets, run):
    run("users", "logout", player.platform_id)

    assert statuses(urls, player.token) == [401, 401]
    for socket in sockets:
        wait_until(lambda socket=socket: socket.spin(SPIN) == UNAUTHORIZED)
    assert statuses(urls, run("users", "token", player.platform_id)["token"]) == [200, 200]


@pytest.mark.security("Logging out everywhere")
def test_no_socket_that_connects_during_a_logout_stays_a_player(urls, player, open_socket):
    connected = []

    def connect(url):
        for _ in range(5):
            with suppress(Refused):
                connected.append(open_socket(url, player))

    with ThreadPoolExecutor(3) as together:
        connecting = [together.submit(connect, url) for url in urls]
        wait_until(lambda: connected)
        assert together.submit(log_out, urls[0], player).result() == 200
        for each in connecting:
            each.result()

    for socket in connected:
        wait_until(lambda socket=socket: socket.spin(SPIN) == UNAUTHORIZED)


def test_a_revoked_tokens_proof_goes_to_the_new_token(urls, player, sockets, run, open_socket):
    assert sockets[0].spin(SPIN)["status"]
    assert log_out(urls[1], player) == 200

    new = open_socket(urls[0], auth=run("users", "token", player.platform_id))

    assert new.expect("upgrader:proof")["nonce"] == 1


def test_concurrent_logouts_at_two_processes_revoke_each_token_once(urls, player):
    with ThreadPoolExecutor(2) as together:
        answers = list(together.map(log_out, urls, [player, player]))

    assert sorted(answers) == [200, 401]
    with reading():
        assert User.get_by_id(player.id).token_number == 1


@pytest.mark.security("Suspension")
@pytest.mark.security("Logging out everywhere")
@pytest.mark.parametrize(("command", "refusal"), [("suspend", SUSPENDED), ("logout", UNAUTHORIZED)])
def test_a_bet_that_waits_meanwhile_is_refused(database_url, player, sockets, run, command, refusal):
    seed = "SELECT 1 FROM announced_seeds WHERE user_id = %s FOR UPDATE"
    with ThreadPoolExecutor(1) as beside:
        with locked(database_url, seed, player.id):
            answer = beside.submit(sockets[0].spin, SPIN)
            wait_until(lambda: waiting_for_locks(database_url) == 1)
            run("users", command, player.platform_id)

        assert answer.result() == refusal
    assert nonces(player) == []


TRADE_URL = "https://steamcommunity.com/tradeoffer/new/?partner=1"
ACTIONS = {
    "lock": ("POST", "/profile/vault/lock", {"amount": 1, "deadline": now_ms() + DAY_MS}),
    "trade URL": ("PUT", "/profile/trade-url", {"url": TRADE_URL}),
    "client seed": ("PUT", "/profile/client-seed", {"clientSeed": "another"}),
    "details": ("PUT", "/profile/details", {"username": "another-name"}),
    "sell": ("POST", "/prizes/{prize}/sell", None),
    "ship": ("POST", "/prizes/{prize}/ship", None),
    "set code": ("POST", "/affiliate/set-code", {"code": "MINE"}),
    "use code": ("POST", "/affiliate/use-code", {"code": "OTHER"}),
    "limit": ("PUT", "/limits", {"kind": "wager", "period": "day", "value": 1}),
    "break": ("POST", "/limits/exclusion", {"duration": "24h"}),
    "log out": ("POST", "/auth/logout-all", None),
}


@reading()
def state(player):
    """What the actions may change."""
    user = User.select().where(User.id == player.id).dicts().get()
    del user["token_number"]
    return user, list(Prize.select().where(Prize.user == player.id).dicts())


@pytest.mark.security("Logging out everywhere")
def test_an_action_that_goes_on_after_a_logout_changes_nothing(app, urls, database_url):
    affiliates.set_code(user_id=create_player(app, "owner").id, code="OTHER", special=None, now=now_ms())
    for action, (method, path, body) in ACTIONS.items():
        player = create_player(app, f"player-{action.replace(' ', '-')}")
        address = dict.fromkeys(prizes.NEEDED, "x")
        profile.change_details(user_id=player.id, username=None, details=address, now=now_ms())
        url = urls[1] + path.format(prize=win_prize(app, player))
        before = state(player)
        with ThreadPoolExecutor(2) as beside:
            with locked(database_url, "SELECT 1 FROM users WHERE id = %s FOR UPDATE", player.id):
                logged_out = beside.submit(log_out, urls[0], player)
                wait_until(lambda: waiting_for_locks(database_url) == 1)
                acted = beside.submit(requests.request, method, url, json=body, headers=player.headers)
                wait_until(lambda: waiting_for_locks(database_url) == 2)

            assert (logged_out.result(), acted.result().status_code) == (200, 401), action
        assert state(player) == before, action


def test_suspending_a_player_waits_for_the_running_bet(database_url, player, sockets, run):
    # Locks that a settlement takes after the player's row.
    assert sockets[0].spin(SPIN)["status"]
    counts = "SELECT 1 FROM live_bet_counts WHERE shard = %s FOR UPDATE"
    with ThreadPoolExecutor(2) as beside:
        with locked(database_url, counts, player.id % LIVE_BET_SHARDS):
            answer = beside.submit(sockets[0].spin, SPIN)
            wait_until(lambda: waiting_for_locks(database_url) == 1)
            suspended = beside.submit(run, "users", "suspend", player.platform_id)
            wait_until(lambda: waiting_for_locks(database_url) == 2)
            assert not suspended.done()

        assert answer.result()["status"]
        suspended.result()
    assert nonces(player) == [1, 2]
    # The live bets are counted without those of the player.
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.security("Suspension")
@pytest.mark.regulation("2.4 Gaming management")
def test_no_bet_settles_after_the_suspend_command_has_returned(player, sockets, run):
    def play(socket):
        """The answers up to the first refusal for the suspension."""
        answers = []
        while SUSPENDED not in answers:
            answers.append(socket.spin(SPIN))
        return answers

    with ThreadPoolExecutor(2) as together:
        playing = [together.submit(play, socket) for socket in sockets]
        wait_until(lambda: len(nonces(player)) >= 5)
        run("users", "suspend", player.platform_id)
        settled = nonces(player)
        answers = [answer for each in playing for answer in each.result()]

    assert nonces(player) == settled
    assert len(settled) == sum(answer["status"] for answer in answers)
    assert [each for each in answers if not each["status"] and each not in (SUSPENDED, IN_PROGRESS)] == []
