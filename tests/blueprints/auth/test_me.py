"""GET /auth/me and /auth/logout."""

import pytest

REGISTERED_AT = 1_700_000_000_123


@pytest.fixture
def me(client, player):
    """The player's user object."""
    return lambda: client.get("/auth/me", headers=player.headers).json


def test_a_new_player_gets_the_whole_user_object(me, player, change_player):
    change_player(registered_at_ms=REGISTERED_AT, client_seed="0123456789abcdef")

    assert me() == {
        "platformid": player.platform_id,
        "username": "alice",
        "avatar": "http://127.0.0.1:5000/media/neutral/avatar.webp",
        "experience": 0,
        "level": 0,
        "levelExperience": 0,
        "nextLevelExperience": 100,
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
        "notificationsReadAt": 0,
        "logins": [],
    }


STORED = {
    "username": ("Bob.B-2", {"username": "Bob.B-2"}),
    "avatar": ("/media/avatars/a.webp", {"avatar": "http://127.0.0.1:5000/media/avatars/a.webp"}),
    "balance_cents": (100_000_000_029, {"balance": 1_000_000_000.29}),
    "vault_cents": (1, {"vaultBalance": 0.01}),
    "vault_deadline_ms": (REGISTERED_AT, {"vaultDeadline": REGISTERED_AT}),
    "sweepstake_cents": (29, {"sweepstakeBalance": 0.29}),
    "trade_url": ("https://example.com/t", {"tradeUrl": "https://example.com/t"}),
    "two_factor_enabled": (True, {"twoFactorEnabled": True}),
    "affiliate_code": ("ALICE", {}),
    "used_affiliate_code": ("BOB", {"affiliate": {"code": "ALICE", "used": "BOB"}}),
    "deposit_bonus": (True, {"depositBonus": True}),
    "free_cases": (3, {"freeCases": 3}),
    "notifications_read_at_ms": (REGISTERED_AT, {"notificationsReadAt": REGISTERED_AT}),
}


@pytest.mark.both_databases("models/callers.py")
def test_the_user_object_shows_what_is_stored(me, change_player):
    change_player(**{column: value for column, (value, _) in STORED.items()})

    shown = me()
    assert [told for _, told in STORED.values() if not shown.items() >= told.items()] == []


# Cents wagered, experience and level: one for each whole coin, and the square root of its hundredth.
LEVELS = [
    *((99, 0, 0), (100, 1, 0), (99_99, 99, 0), (100_00, 100, 1), (399_99, 399, 1), (400_00, 400, 2)),
    *((62_499_99, 62_499, 24), (62_500_00, 62_500, 25)),
]


def test_experience_and_level_grow_with_what_was_wagered(me, change_player):
    for wagered_cents, experience, level in LEVELS:
        change_player(wagered_cents=wagered_cents)
        assert me().items() >= {"experience": experience, "level": level}.items(), wagered_cents
    change_player(granted_experience=300, wagered_cents=100_00)
    assert me().items() >= {"experience": 400, "level": 2}.items()


def test_the_user_object_says_where_the_level_began_and_where_the_next_begins(me, change_player):
    change_player(wagered_cents=899_99)

    assert me().items() >= {"level": 2, "levelExperience": 400, "nextLevelExperience": 900}.items()


def test_logging_out_always_succeeds_and_revokes_no_token(client, player):
    for headers in (player.headers, {}, {"Authorization": "Bearer nonsense"}):
        answer = client.get("/auth/logout", headers=headers)

        assert answer.status_code == 200
        assert answer.json == {"success": True, "message": "Logged out successfully"}
    assert client.get("/auth/me", headers=player.headers).status_code == 200
