"""An anonymous player is Hidden to everybody else, at once and in old bets too."""

import pytest

from tests.harness.spins import play_spin

NAME = "somebody"


@pytest.fixture
def alice(app, new_player, add_item):
    player = new_player(NAME)
    play_spin(app, player, add_item(price=2))
    return player


@pytest.fixture
def hide(send, alice):
    def change(anonymous):
        assert send(alice, "PUT", "/profile/details", {"anonymous": anonymous})[0] == 200

    return change


PLACES = [
    "/stats/live-bets",
    "/leaderboard?period=weekly",
    "/bets/1",
    "/b/1",
    "/profile/user/{platform_id}",
]


@pytest.mark.both_databases("services/statistics/leaderboard.py")
@pytest.mark.settings(UPGRADER_PROOF_DELAY="0")
def test_an_anonymous_player_is_hidden_wherever_others_look(client, alice, hide):
    def shown():
        return [client.get(place.format(platform_id=alice.platform_id)).text for place in PLACES]

    assert all(NAME[:3] in text for text in shown())

    hide(True)

    assert not any(NAME[:3] in text for text in shown())
    assert all("Hidden" in text for text in shown())


def test_the_player_sees_their_own_name_and_can_be_shown_again(client, send, me, alice, hide):
    hide(True)

    details = send(alice, "GET", "/profile/details")[1]["data"]
    assert (me(alice)["username"], details["username"], details["anonymous"]) == (NAME, NAME, True)

    hide(False)

    assert client.get(f"/profile/user/{alice.platform_id}").json["user"]["username"] == NAME


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_anonymous_is_true_or_false(send, alice, value):
    assert send(alice, "PUT", "/profile/details", {"anonymous": value})[0] == 400
