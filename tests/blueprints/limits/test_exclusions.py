"""Taking a break, and excluding oneself."""

import pytest

from tests.blueprints.limits.conftest import BEGINNING, DAY_MS, NOW
from tests.support.markers import sqlite_only

SHORTER = (400, {"error": "A break can only be made longer"})


@sqlite_only
@pytest.mark.parametrize(
    ("duration", "days"),
    [("24h", 1), ("7d", 7), ("30d", 30), ("180d", 180), ("365d", 365), ("1825d", 1825)],
)
def test_a_break_ends_after_its_duration_rounded_up_to_a_second(take_break, limits, duration, days):
    until = BEGINNING + days * DAY_MS

    assert take_break(duration) == (200, {"success": True, "until": until})
    assert limits()["exclusion"] == {"until": until}


def test_a_break_that_ends_at_a_whole_second_is_not_rounded(take_break, clock):
    clock.now = BEGINNING

    assert take_break("24h") == (200, {"success": True, "until": BEGINNING + DAY_MS})


def test_a_permanent_exclusion_has_no_end(take_break, limits, clock):
    assert take_break("permanent") == (200, {"success": True, "until": None})
    clock.now += 3600 * DAY_MS
    assert limits()["exclusion"] == {"until": None}


def test_a_break_is_over_at_its_end(take_break, limits, clock):
    take_break("24h")

    clock.now = BEGINNING + DAY_MS - 1
    assert limits()["exclusion"] == {"until": BEGINNING + DAY_MS}
    clock.now += 1
    assert limits()["exclusion"] is None


@pytest.mark.parametrize(
    ("first", "second", "is_longer"),
    [
        ("7d", "24h", False),
        ("7d", "30d", True),
        ("1825d", "permanent", True),
        ("permanent", "1825d", False),
        ("permanent", "permanent", True),
        ("24h", "24h", True),
    ],
)
def test_a_break_can_only_be_made_longer(take_break, limits, first, second, is_longer):
    take_break(first)
    before = limits()["exclusion"]

    answer = take_break(second)

    if is_longer:
        assert answer == (200, {"success": True, "until": limits()["exclusion"]["until"]})
    else:
        assert answer == SHORTER
        assert limits()["exclusion"] == before


def test_a_shorter_break_is_possible_once_the_longer_one_has_less_left(take_break, clock):
    take_break("7d")
    clock.now += 6 * DAY_MS - 1000

    assert take_break("24h") == SHORTER
    clock.now += 1000
    assert take_break("24h") == (200, {"success": True, "until": BEGINNING + 7 * DAY_MS})


def test_a_new_break_begins_after_the_old_one(take_break, clock):
    take_break("30d")
    clock.now = NOW + 31 * DAY_MS

    assert take_break("24h") == (200, {"success": True, "until": BEGINNING + 32 * DAY_MS})


@sqlite_only
@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, "duration: Missing data for required field."),
        ({"duration": 24}, "duration: Not a valid string."),
        ({"duration": "1h"}, "duration: must be one of 24h, 7d, 30d, 180d, 365d, 1825d, permanent"),
    ],
)
def test_an_invalid_duration_is_refused(client, player, limits, body, error):
    answer = client.post("/limits/exclusion", json=body, headers=player.headers)

    assert (answer.status_code, answer.json) == (400, {"error": error})
    assert limits()["exclusion"] is None


def test_an_operator_excludes_a_player(run, player, limits):
    printed = run("users", "exclude", player.platform_id, "7d")

    assert printed == {"platformid": player.platform_id, "until": BEGINNING + 7 * DAY_MS}
    assert limits()["exclusion"] == {"until": printed["until"]}


def test_an_operator_cannot_make_a_break_shorter(take_break, fails, player, limits):
    take_break("permanent")

    error = fails("users", "exclude", player.platform_id, "1825d")

    assert error == "Error: A break can only be made longer"
    assert limits()["exclusion"] == {"until": None}


def test_an_operator_is_told_the_durations(fails, player):
    assert "'24h', '7d', '30d'" in fails("users", "exclude", player.platform_id, "1h")
