"""The header X-2FA-Code: claims, selling and shipping prizes need a code from players with 2FA."""

import jwt
import pytest

from models.db.connection import reading
from models.logins import ConfirmedToken, WrongCode
from services.shared.clock import now_ms
from tests.harness.players import create_player
from tests.harness.spins import Clock
from tests.support.apps import SECRET
from tests.support.openings import win_prize
from tests.support.two_factor import STEP_MS, Authenticator, recovery_codes_of

MINUTES = 60_000
SENSITIVE = ["/affiliate/claim", "/prizes/1/sell", "/prizes/1/ship"]

REQUIRED = (403, "Two-factor code required")
INVALID = (400, "Invalid 2FA code")
TOO_MANY = (429, "Too many wrong 2FA codes")
NOTHING = (400, "There is nothing to claim")
"""What the claim of a player without earnings answers, once the code is right."""


@pytest.fixture
def clock():
    clock = Clock(now_ms())
    clock.now -= clock.now % STEP_MS
    return clock


@pytest.fixture
def post(client, player):
    """Posts to a path, with a code in the header or none; status and text."""

    def send(path="/affiliate/claim", code=None, *, headers=player.headers, body=None):
        header = {} if code is None else {"X-2FA-Code": code}
        answer = client.post(path, headers=headers | header, json=body)
        return answer.status_code, answer.json.get("message") or answer.json.get("error")

    return send


@pytest.fixture
def another_token(app, player):
    """The headers of another token of the player."""

    def issue(**claims):
        now = app.extensions["services"].clock() // 1000
        content = {"sub": player.platform_id, "iss": "http://127.0.0.1:5000", "iat": now, "exp": now + 3600}
        token = jwt.encode(content | claims, SECRET[::-1], algorithm="HS256")
        return {"Authorization": f"Bearer {token}"}

    return issue


@pytest.mark.security("Two-factor authentication")
@pytest.mark.usefixtures("authenticator")
def test_a_sensitive_action_without_a_code_is_refused(client, player):
    answers = {path: client.post(path, headers=player.headers) for path in SENSITIVE}

    text = "Two-factor code required"
    assert {path: (answer.status_code, answer.json) for path, answer in answers.items()} == {
        "/affiliate/claim": (403, {"status": False, "message": text}),
        "/prizes/1/sell": (403, {"error": text}),
        "/prizes/1/ship": (403, {"error": text}),
    }


def test_a_refused_code_changes_nothing_and_a_right_one_acts(app, client, player, authenticator, post):
    path = f"/prizes/{win_prize(app, player)}/sell"

    refusals = [post(path), post(path, authenticator.wrong()), post(path, "nonsense")]

    assert refusals == [REQUIRED, INVALID, INVALID]
    assert client.get("/prizes", headers=player.headers).json["data"]["prizes"][0]["status"] == "kept"
    assert post(path, authenticator.code()) == (200, None)


def test_a_player_without_two_factor_authentication_needs_no_code(post):
    answers = {(path, code): post(path, code) for path in SENSITIVE for code in (None, "000000", "nonsense")}

    assert answers == {
        (path, code): NOTHING if path == "/affiliate/claim" else (404, "Prize not found")
        for path, code in answers
    }


def test_a_malformed_code_does_not_count_as_a_guess(post, authenticator):
    right = authenticator.code()
    codes = [
        "",
        right[:5],
        f"{right}0",
        f"+{right[1:]}",
        f"{right},{right}",
        "abcd-efgh-234",
        "abcd-efgh-2341",
    ]
    codes += ["abcd-efgh-2345-6", "\xb2" * 6]

    assert [post(code=code) for code in codes] == [INVALID] * len(codes)

    with reading():
        assert WrongCode.select().count() == 0


def test_a_right_code_covers_its_token_for_five_minutes(post, authenticator, clock):
    assert post(code=authenticator.code()) == NOTHING

    clock.now += 5 * MINUTES - 1
    assert [post(), post("/prizes/1/sell")] == [NOTHING, (404, "Prize not found")]
    clock.now += 1
    assert post() == REQUIRED


@pytest.mark.security("Two-factor authentication")
def test_a_code_does_not_cover_another_token_of_the_player(post, authenticator, another_token):
    post(code=authenticator.code())

    assert post(headers=another_token(jti="another")) == REQUIRED


@pytest.mark.security("Two-factor authentication")
def test_a_token_without_an_id_needs_a_code_each_time(post, authenticator, another_token):
    unnamed = another_token()

    assert post(code=authenticator.code(), headers=unnamed) == NOTHING
    assert post(headers=unnamed) == REQUIRED
    assert post(code=authenticator.code(STEP_MS), headers=unnamed) == NOTHING


def test_a_recovery_code_in_the_header_works_once(app, player, post, authenticator, another_token):
    code, *_ = recovery_codes_of(app, player, authenticator)

    assert [post(code=code), post()] == [NOTHING] * 2
    assert post(code=code, headers=another_token(jti="another")) == INVALID


def test_turning_two_factor_off_and_on_ends_a_codes_cover(app, player, post, authenticator):
    post(code=authenticator.code())
    post("/profile/2fa/disable", body={"code": authenticator.code(STEP_MS)})
    assert post() == NOTHING

    Authenticator(app, player)

    assert post() == REQUIRED


def test_a_fast_clock_does_not_extend_a_codes_cover(post, authenticator, clock):
    clock.now += 60 * MINUTES
    post(code=authenticator.code())

    clock.now -= 60 * MINUTES

    assert post() == REQUIRED
    assert post(code=authenticator.code()) == NOTHING


@pytest.mark.both_databases("one statement deletes what has expired")
def test_a_right_code_deletes_what_has_expired(post, authenticator, another_token, clock):
    for number in range(3):
        post(code=authenticator.code(), headers=another_token(jti=str(number)))
        clock.now += 2 * MINUTES

    with reading():
        assert set(ConfirmedToken.select(ConfirmedToken.token_id).scalars()) == {"0", "1", "2"}
    clock.now += 2 * MINUTES
    post(code=authenticator.code(), headers=another_token(jti="3"))

    with reading():
        assert set(ConfirmedToken.select(ConfirmedToken.token_id).scalars()) == {"2", "3"}


BY_SETTING = {
    "trade-url": ("PUT", "/profile/trade-url", (400, "Trade URL is required")),
    "vault-unlock": ("POST", "/profile/vault/unlock", (400, "Vault is empty")),
}


@pytest.mark.security("Two-factor authentication")
@pytest.mark.parametrize("required", ["", *BY_SETTING])
def test_the_setting_names_more_actions_that_need_a_code(make_app, clock, required):
    app = make_app(clock=clock, TWO_FACTOR_REQUIRED_FOR=required)
    player = create_player(app)
    Authenticator(app, player)

    for action, (method, path, otherwise) in BY_SETTING.items():
        answer = app.test_client().open(path, method=method, headers=player.headers)

        assert (answer.status_code, answer.json["error"]) == (REQUIRED if action == required else otherwise)
