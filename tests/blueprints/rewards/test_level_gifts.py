"""Gifts of levels: imported within LEVEL_SHARE, and claimed once each."""

import pytest

from tests.blueprints.rewards.conftest import NOT_FOUND, NOTHING


@pytest.mark.both_databases("services/rewards/level_gifts.py", "services/rewards/importing.py")
def test_a_gift_is_claimed_once_when_its_level_is_reached(balance, claim, gifts, has_bet, rewards):
    # Level 1 is 100 coins wagered, level 2 is 400: a tenth of 0.05 of them is 0.5 and 2.
    assert gifts({"level": 2, "coins": 1.5}, {"level": 1, "coins": "$0.50"}) == {
        "levels": 2,
        "cases": 0,
        "coins": 2,
    }
    has_bet(399)

    assert rewards()["levels"] == [
        {"id": "level-1", "level": 1, "coins": 0.5, "case": None, "state": "offered"},
        {"id": "level-2", "level": 2, "coins": 1.5, "case": None, "state": None},
    ]
    assert claim("level-2") == NOTHING
    assert claim("level-1") == (200, {"success": True, "amount": 0.5})
    assert claim("level-1") == NOTHING

    has_bet(400)
    assert [level["state"] for level in rewards()["levels"]] == ["claimed", "offered"]
    assert claim("level-2") == (200, {"success": True, "amount": 1.5})
    assert balance() == 102


def test_an_unknown_reward_is_not_found(claim, gifts, new_player):
    gifts({"level": 1, "coins": 0.5})
    for unknown in ("level-2", "level-0", "level-01", "1", "0", "9" * 30, "level", "-1"):
        assert claim(unknown) == NOT_FOUND, unknown


@pytest.mark.security("Rewards")
def test_a_level_that_an_operator_has_given_is_no_reason_for_a_gift(claim, change_player, gifts, has_bet):
    gifts({"level": 1, "coins": 0.5})
    change_player(granted_experience=1_000_000)
    assert claim("level-1") == NOTHING

    has_bet(100)

    assert claim("level-1")[1]["amount"] == 0.5


def test_an_import_replaces_the_gifts_and_leaves_what_was_claimed(claim, gifts, has_bet, rewards):
    gifts({"level": 1, "coins": 0.5})
    has_bet(1_000)
    claim("level-1")

    gifts({"level": 2, "coins": 1})

    assert [(each["level"], each["coins"], each["state"]) for each in rewards()["levels"]] == [
        (1, 0.5, "claimed"),
        (2, 1, "offered"),
    ]


BAD_ROWS = [
    ([7], "row 1: must be an object"),
    ([{"level": 0, "coins": 1}], "row 1: level must be a whole number from 1 to 10000"),
    ([{"level": True, "coins": 1}], "row 1: level must be a whole number from 1 to 10000"),
    ([{"level": 3, "coins": 0}], "row 1: coins must be at least 0.01"),
    ([{"level": 3, "coins": 1, "case": "level-3"}], "row 1: a gift has either coins or a case"),
    ([{"level": 3}], "row 1: a gift has either coins or a case"),
    ([{"level": 3, "case": "nothing"}], "row 1: Case not found"),
    ([{"level": 3, "case": 7}], "row 1: case must be the id of a case"),
    ([{"level": 3, "coins": 1}, {"level": 3, "coins": 2}], "row 2: the file has this level twice: 3"),
    (
        [{"level": 2, "coins": 1.51}, {"level": 1, "coins": 0.5}],
        (
            "row 1: the gifts up to level 2 cost $2.01, and may cost $2.00,"
            " LEVEL_SHARE of the expected win of reaching it"
        ),
    ),
]


def test_a_bad_row_stops_the_import_and_nothing_is_kept(fails, gifts, rewards):
    gifts({"level": 1, "coins": 0.01})
    for rows, problem in BAD_ROWS:
        assert gifts(*rows, command=fails) == f"Error: {problem}"
    assert [each["coins"] for each in rewards()["levels"]] == [0.01]
