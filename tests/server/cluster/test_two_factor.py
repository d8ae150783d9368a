"""Codes and login challenges at two production processes on one PostgreSQL: each works once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import pytest
import requests

from bench.harness.players import create_player
from bench.harness.waiting import wait_until
from models.db.connection import reading
from models.two_factor import RecoveryCode, WrongCode
from services.accounts.two_factor import login_challenges
from tests.support.locks import locked, waiting_for_locks
from tests.support.two_factor import STEP_MS, recovery_codes_of

pytestmark = pytest.mark.redis

NOTHING = (400, "There is nothing to claim")
"""What the claim of a player without earnings answers, once the code is right."""
INVALID = (400, "Invalid 2FA code")
TOO_MANY = (429, "Too many wrong 2FA codes")
UNAUTHORIZED = (401, "Unauthorized")


@pytest.fixture
def app(gunicorn_app):
    return gunicorn_app


@pytest.fixture
def player(app, request):
    return create_player(app, request.node.originalname[-30:])


@pytest.fixture
def new_token(app, player):
    """Issues another token of the player; its header."""
    services = app.extensions["services"]

    def issue():
        token = services.tokens.issue(player.user, now=services.clock())
        return {"Authorization": f"Bearer {token}"}

    return issue


@pytest.fixture
def at_once(app, urls, player):
    """Sends posts (path, headers, body) to the processes in turn, so that all wait for the player's row.

    Counts the statuses and texts.
    """
    database_url = app.extensions["services"].settings.database_url

    def send_all(posts):
        def send(url, path, headers, body):
            answer = requests.post(url + path, headers=headers, json=body, timeout=30)
            content = answer.json()
            return answer.status_code, content.get("message") or content.get("error")

        with ThreadPoolExecutor(len(posts)) as pool:
            with locked(database_url, "SELECT 1 FROM users WHERE id = %s FOR UPDATE", player.id):
                sent = [pool.submit(send, url, *post) for url, post in zip(cycle(urls), posts, strict=False)]
                wait_until(lambda: waiting_for_locks(database_url) == len(posts))
            return Counter(answer.result() for answer in sent)

    return send_all


def claim(headers, code):
    return "/affiliate/claim", headers | {"X-2FA-Code": code}, None


@pytest.mark.security("Two-factor authentication")
def test_one_of_many_uses_of_a_recovery_code_succeeds(app, player, authenticator, new_token, at_once):
    code, *_ = recovery_codes_of(app, player, authenticator)

    answers = at_once([claim(new_token(), code) for _ in range(6)])

    assert answers == {NOTHING: 1, INVALID: 5}
    with reading():
        assert RecoveryCode.select().where(RecoveryCode.user == player.id).count() == 9


def test_one_code_covers_concurrent_requests_of_its_token(authenticator, player, urls, at_once):
    answers = at_once([claim(player.headers, authenticator.code()) for _ in range(6)])

    assert answers == {NOTHING: 6}
    later = [requests.post(f"{url}/affiliate/claim", headers=player.headers, timeout=30) for url in urls]
    assert [answer.json()["message"] for answer in later] == [NOTHING[1]] * 2


@pytest.mark.security("Login challenges")
def test_one_of_many_answers_to_a_challenge_logs_in(app, player, authenticator, at_once):
    services = app.extensions["services"]
    codes = recovery_codes_of(app, player, authenticator)
    challenge = login_challenges.begin(user_id=player.id, now=services.clock())
    cookie = {"Cookie": f"login_challenge={challenge.browser_secret}"}

    answers = at_once(
        [("/auth/two-factor", cookie, {"challenge": challenge.text, "code": code}) for code in codes]
    )

    assert answers == {(200, None): 1, UNAUTHORIZED: 9}
    with reading():
        assert RecoveryCode.select().where(RecoveryCode.user == player.id).count() == 9
        assert WrongCode.select().where(WrongCode.user == player.id).count() == 0


@pytest.mark.security("Two-factor authentication")
def test_five_of_many_guesses_at_all_places_are_checked(app, player, authenticator, new_token, at_once):
    services = app.extensions["services"]
    challenge = login_challenges.begin(user_id=player.id, now=services.clock())
    cookie = {"Cookie": f"login_challenge={challenge.browser_secret}"}
    wrong, never_drawn = authenticator.wrong(), "aaaa-aaaa-aaaa"
    guesses = [
        claim(new_token(), wrong),
        claim(new_token(), never_drawn),
        ("/prizes/1/sell", new_token() | {"X-2FA-Code": wrong}, None),
        ("/profile/2fa/disable", player.headers, {"code": never_drawn}),
        ("/profile/2fa/recovery-codes", player.headers, {"code": wrong}),
        ("/auth/two-factor", cookie, {"challenge": challenge.text, "code": wrong}),
    ]

    answers = at_once(guesses * 2)

    assert answers == {INVALID: 5, TOO_MANY: 7}
    assert at_once([claim(new_token(), authenticator.code(STEP_MS))]) == {TOO_MANY: 1}
