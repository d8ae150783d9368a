"""Taking a break, and excluding oneself."""

import pytest

from tests.blueprints.limits.conftest import BEGINNING, DAY_MS
from tests.support.at_once import all_at_once

DURATIONS = {"24h": 1, "7d": 7, "30d": 30, "180d": 180, "365d": 365, "1825d": 1825}
SHORTER = (400, {"error": "A break can only be made longer"})


def begun(until):
    """The answer to a player with 100 coins."""
    return 200, {"success": True, "until": until, "withdrawable": 100}


def test_a_break_ends_after_its_duration_in_whole_seconds(take_break, limits, clock):
    for duration, days in DURATIONS.items():
        until = BEGINNING + days * DAY_MS
        assert take_break(duration) == begun(until)
        assert limits()["exclusion"] == {"until": until}
    clock.now = BEGINNING + 3_000 * DAY_MS
    assert take_break("24h") == begun(clock.now + DAY_MS)


@pytest.mark.regulation("2.5.5 Exclusions")
def test_a_permanent_exclusion_has_no_end(take_break, limits, clock):
    for _ in range(2):
        assert take_break("permanent") == begun(None)
        clock.now += 1_800 * DAY_MS
        assert limits()["exclusion"] == {"until": None}
    assert take_break("1825d") == SHORTER


@pytest.mark.security("Limits and breaks")
@pytest.mark.regulation("2.5.5 Exclusions")
def test_a_break_can_only_be_made_longer(take_break, limits):
    shorter = []
    for duration in ("24h", "24h", "30d", "1825d", "permanent"):
        until = take_break(duration)[1]["until"]
        refused = [take_break(each) for each in shorter if each != duration]
        assert refused == [SHORTER] * len(refused)
        assert limits()["exclusion"] == {"until": until}
        shorter.append(duration)


def test_a_shorter_break_can_follow_when_less_is_left(take_break, limits, clock):
    take_break("7d")
    clock.now += 6 * DAY_MS - 1000

    assert take_break("24h") == SHORTER
    clock.now += 1000
    until = BEGINNING + 7 * DAY_MS
    assert take_break("24h") == begun(until)
    clock.now = until - 1
    assert limits()["exclusion"] == {"until": until}
    clock.now += 1
    assert limits()["exclusion"] is None


@pytest.mark.both_databases("a race")
def test_the_longest_of_breaks_at_once_remains(take_break, limits):
    durations = ("24h", "permanent", "7d", "365d")

    all_at_once([lambda duration=duration: take_break(duration) for duration in durations * 2])

    assert limits()["exclusion"] == {"until": None}


def test_an_invalid_duration_is_refused(client, player, limits):
    for body, error in (
        ({}, "Missing data for required field."),
        ({"duration": 24}, "Not a valid string."),
        ({"duration": "1h"}, "must be one of 24h, 7d, 30d, 180d, 365d, 1825d, permanent"),
    ):
        answer = client.post("/limits/exclusion", json=body, headers=player.headers)
        assert (answer.status_code, answer.json) == (400, {"error": f"duration: {error}"})

    assert limits()["exclusion"] is None


@pytest.mark.regulation("2.5.5 Exclusions")
def test_an_operator_cannot_make_a_break_shorter(run, fails, player, limits):
    until = {"until": BEGINNING + 7 * DAY_MS}
    assert run("users", "exclude", player.platform_id, "7d") == {"platformid": player.platform_id} | until

    error = fails("users", "exclude", player.platform_id, "24h")

    assert error == "Error: A break can only be made longer"
    assert limits()["exclusion"] == until


@pytest.fixture
def withdrawable(client, player, take_break):
    """What a break answers, once some coins were locked in the vault for ten days."""

    def answered(duration, *, locked):
        lock = {"amount": locked, "deadline": BEGINNING + 10 * DAY_MS}
        client.post("/profile/vault/lock", json=lock, headers=player.headers)
        return take_break(duration)[1]["withdrawable"]

    return answered


def test_a_break_answers_what_can_be_withdrawn(client, player, withdrawable, take_break, clock):
    assert withdrawable("24h", locked=30.25) == 69.75

    clock.now = BEGINNING + 10 * DAY_MS
    assert take_break("24h")[1]["withdrawable"] == 100


def test_a_permanent_exclusion_answers_the_coins_of_the_vault_too(client, player, withdrawable):
    assert withdrawable("permanent", locked=30) == 100

    client.post("/profile/vault/unlock", headers=player.headers)
    assert client.get("/auth/me", headers=player.headers).json["balance"] == 100
