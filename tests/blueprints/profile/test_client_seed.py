"""PUT /profile/client-seed: the seed for spins that send none."""

import pytest

DONE = (200, {"success": True})
INVALID = (400, {"error": "Client seed must be 4 to 64 letters, digits, dashes and underscores"})


@pytest.fixture
def put(call):
    return lambda seed: call("PUT", "client-seed", {"clientSeed": seed})


def test_a_valid_seed_is_stored_unchanged(put, me):
    for seed in ("abcd", "AZaz09-_", "-___", "0000", "x" * 64):
        assert put(seed) == DONE
        assert me()["clientSeed"] == seed


def test_an_invalid_seed_is_refused(put, call, me):
    before = me()["clientSeed"]
    bad = [
        *(None, "", "abc", "x" * 65, "x" * 10_000, 1234, 12345.5, True, ["abcd"], {"a": "abcd"}),
        *("ab cd", " abcd", "abcd ", "abcd\n", "\nabcd", "abc:d", "abc.d"),
        *("\u00e4bcd", "abc\u0131", "\uff11234", "\u0663" * 4),
    ]

    answers = [*map(put, bad), call("PUT", "client-seed"), call("PUT", "client-seed", {"clientseed": "abcd"})]

    assert answers == [INVALID] * len(answers)
    assert me()["clientSeed"] == before


def test_a_spin_without_a_seed_uses_the_stored_one(put, connect, player, add_item):
    item = add_item(price=10)
    put("my-own-seed")
    socket = connect(player)

    socket.spin({"amount": 1, "item": item})

    assert socket.expect("upgrader:pf")["clientSeed"] == "my-own-seed"
