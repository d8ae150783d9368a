"""GET /upgrader/rules: the rules of every spin."""

import pytest

PATH = "/upgrader/rules"


@pytest.fixture
def rules_with(make_app):
    """The rules of an app with these settings."""

    def ask(**settings):
        return make_app(**settings).test_client().get(PATH).json

    return ask


def test_the_rules_show_the_default_settings(rules_with):
    assert rules_with(UPGRADER_PROOF_DELAY="") == {
        "houseEdge": 0.05,
        "minWager": 0.01,
        "maxWager": 10000,
        "proofDelay": 6,
        "rollRange": 10_000_000,
        "freeCaseLimit": 1,
        "minCycle": 0,
        "caseHouseEdge": 0.05,
        "newCase": {
            "minLevel": 25,
            "minName": 3,
            "maxName": 32,
            "minItems": 2,
            "maxItems": 100,
            "maxCases": 50,
        },
    }


@pytest.mark.regulation("4.4 Information for the player")
def test_the_rules_show_changed_settings(rules_with):
    for setting, text, field, value in (
        ("UPGRADER_HOUSE_EDGE", "0", "houseEdge", 0),
        ("UPGRADER_HOUSE_EDGE", "0.012345", "houseEdge", 0.012345),
        ("UPGRADER_MIN_WAGER", "1.10", "minWager", 1.1),
        ("UPGRADER_MAX_WAGER", "0.29", "maxWager", 0.29),
        ("UPGRADER_MAX_WAGER", "1000000000", "maxWager", 1_000_000_000),
        ("UPGRADER_PROOF_DELAY", "0.5", "proofDelay", 0.5),
        ("FREE_CASE_LIMIT", "0", "freeCaseLimit", 0),
        ("GAME_MIN_CYCLE_SECONDS", "2.5", "minCycle", 2.5),
    ):
        assert rules_with(**{setting: text})[field] == value, setting


def test_the_rules_run_no_query(client, queries):
    client.get(PATH)

    assert queries == []
