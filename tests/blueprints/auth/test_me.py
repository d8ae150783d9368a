"""GET /auth/me and /auth/logout."""

import pytest

from models.db.connection import writing
from models.users import User
from tests.support.markers import sqlite_only

REGISTERED_AT = 1_700_000_000_123


@pytest.fixture
def change(player):
    """Sets columns of the player's row."""

    def update(**values):
        with writing():
            User.update(values).where(User.id == player.id).execute()

    return update


@pytest.fixture
def me(client, player):
    """The player's user object."""
    return lambda: client.get("/auth/me", headers=player.headers).json


def test_a_new_player_gets_the_whole_user_object(me, player, change):
    change(registered_at_ms=REGISTERED_AT, client_seed="0123456789abcdef")

    assert me() == {
        "platformid": player.platform_id,
        "username": "alice",
        "avatar": "http://127.0.0.1:5000/media/neutral/avatar.webp",
        "experience": 0,
        "level": 0,
        "registerDate": REGISTERED_AT,
        "balance": 100,
        "vaultBalance": 0,
        "vaultDeadline": None,
        "sweepstakeBalance": 0,
        "clientSeed": "0123456789abcdef",
        "tradeUrl": "",
        "twoFactorEnabled": False,
        "affiliate": {"code": "", "used": ""},
        "depositBonus": False,
        "freeCases": 0,
    }


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        ({"username": "Bob.B-2"}, {"username": "Bob.B-2"}),
        ({"avatar": "https://images.example.com/a.png"}, {"avatar": "https://images.example.com/a.png"}),
        ({"avatar": "/media/avatars/a.webp"}, {"avatar": "http://127.0.0.1:5000/media/avatars/a.webp"}),
        ({"balance_cents": 1234}, {"balance": 12.34}),
        ({"balance_cents": 1}, {"balance": 0.01}),
        ({"balance_cents": 100_000_000_029}, {"balance": 1_000_000_000.29}),
        ({"vault_cents": 550}, {"vaultBalance": 5.5}),
        ({"vault_deadline_ms": REGISTERED_AT}, {"vaultDeadline": REGISTERED_AT}),
        ({"sweepstake_cents": 29}, {"sweepstakeBalance": 0.29}),
        ({"client_seed": "my-seed_1"}, {"clientSeed": "my-seed_1"}),
        ({"trade_url": "https://example.com/t"}, {"tradeUrl": "https://example.com/t"}),
        ({"two_factor_enabled": True}, {"twoFactorEnabled": True}),
        ({"affiliate_code": "ALICE"}, {"affiliate": {"code": "ALICE", "used": ""}}),
        ({"used_affiliate_code": "BOB"}, {"affiliate": {"code": "", "used": "BOB"}}),
        ({"deposit_bonus": True}, {"depositBonus": True}),
        ({"free_cases": 3}, {"freeCases": 3}),
    ],
)
def test_the_user_object_shows_what_is_stored(me, change, stored, told):
    change(**stored)

    assert me() | told == me()


@sqlite_only
@pytest.mark.parametrize(
    ("wagered_cents", "experience", "level"),
    [
        (0, 0, 0),
        (99, 0, 0),
        (100, 1, 0),
        (99_99, 99, 0),
        (100_00, 100, 1),
        (399_99, 399, 1),
        (400_00, 400, 2),
        (62_499_99, 62_499, 24),
        (62_500_00, 62_500, 25),
    ],
)
def test_experience_counts_whole_coins_and_the_level_is_its_root(
    me, change, wagered_cents, experience, level
):
    change(wagered_cents=wagered_cents)

    assert (me()["experience"], me()["level"]) == (experience, level)


def test_granted_experience_is_added_to_the_wagered(me, change):
    change(granted_experience=300, wagered_cents=100_00)

    assert (me()["experience"], me()["level"]) == (400, 2)


def test_a_player_gets_only_their_own_user_object(client, new_player):
    new_player("alice")
    bob = new_player("bob")

    assert client.get("/auth/me", headers=bob.headers).json["username"] == "bob"


@sqlite_only
@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer nonsense", "Basic YWxpY2U6c2VjcmV0"])
def test_without_a_valid_token_me_is_unauthorized(client, header):
    answer = client.get("/auth/me", headers={"Authorization": header} if header is not None else {})

    assert (answer.status_code, answer.json) == (401, {"error": "Unauthorized"})
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@sqlite_only
def test_logging_out_succeeds_with_a_token(client, player):
    answer = client.get("/auth/logout", headers=player.headers)

    assert answer.status_code == 200
    assert answer.json == {"success": True, "message": "Logged out successfully"}


@sqlite_only
@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer nonsense"}])
def test_logging_out_succeeds_without_a_token(client, header):
    answer = client.get("/auth/logout", headers=header)

    assert answer.status_code == 200
    assert answer.json == {"success": True, "message": "Logged out successfully"}


@sqlite_only
def test_a_token_stays_valid_after_logging_out(client, player):
    client.get("/auth/logout", headers=player.headers)

    assert client.get("/auth/me", headers=player.headers).status_code == 200
