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


STORED = [
    ({"username": "Bob.B-2"}, {"username": "Bob.B-2"}),
    ({"avatar": "https://images.example.com/a.png"}, {"avatar": "https://images.example.com/a.png"}),
    ({"avatar": "/media/avatars/a.webp"}, {"avatar": "http://127.0.0.1:5000/media/avatars/a.webp"}),
    ({"balance_cents": 1234}, {"balance": 12.34}),
    ({"balance_cents": 1}, {"balance": 0.01}),
    ({"balance_cents": 100_000_000_029}, {"balance": 1_000_000_000.29}),
    ({"vault_cents": 550}, {"vaultBalance": 5.5}),
    ({"vault_deadline_ms": REGISTERED_AT}, {"vaultDeadline": REGISTERED_AT}),
    ({"sweepstake_cents": 29}, {"sweepstakeBalance": 0.29}),
    ({"trade_url": "https://example.com/t"}, {"tradeUrl": "https://example.com/t"}),
    ({"two_factor_enabled": True}, {"twoFactorEnabled": True}),
    ({"affiliate_code": "ALICE"}, {"affiliate": {"code": "ALICE", "used": ""}}),
    ({"used_affiliate_code": "BOB"}, {"affiliate": {"code": "ALICE", "used": "BOB"}}),
    ({"deposit_bonus": True}, {"depositBonus": True}),
    ({"free_cases": 3}, {"freeCases": 3}),
    # Experience is one for each whole coin wagered; the level is the square root of its hundredth.
    ({"wagered_cents": 99}, {"experience": 0, "level": 0}),
    ({"wagered_cents": 100}, {"experience": 1, "level": 0}),
    ({"wagered_cents": 99_99}, {"experience": 99, "level": 0}),
    ({"wagered_cents": 100_00}, {"experience": 100, "level": 1}),
    ({"wagered_cents": 399_99}, {"experience": 399, "level": 1}),
    ({"wagered_cents": 400_00}, {"experience": 400, "level": 2}),
    ({"wagered_cents": 62_499_99}, {"experience": 62_499, "level": 24}),
    ({"wagered_cents": 62_500_00}, {"experience": 62_500, "level": 25}),
    ({"granted_experience": 300, "wagered_cents": 100_00}, {"experience": 400, "level": 2}),
]


def test_the_user_object_shows_what_is_stored(me, change):
    for stored, told in STORED:
        change(**stored)

        assert me().items() >= told.items(), stored


@sqlite_only
def test_logging_out_succeeds_with_and_without_a_token_and_ends_no_session(client, player):
    for headers in (player.headers, {}, {"Authorization": "Bearer nonsense"}):
        answer = client.get("/auth/logout", headers=headers)

        assert answer.status_code == 200
        assert answer.json == {"success": True, "message": "Logged out successfully"}
    assert client.get("/auth/me", headers=player.headers).status_code == 200
