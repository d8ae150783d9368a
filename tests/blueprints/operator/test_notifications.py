"""flask notifications send: messages of an operator to a player."""

import pytest

TITLE = "Error: the title must be a text of 1 to 120 characters"
MESSAGE = "Error: the message must be a text of 1 to 1000 characters"


@pytest.fixture
def told(client, player):
    """The player's notifications."""
    return lambda: client.get("/profile/notifications", headers=player.headers).json


def test_a_sent_notification_is_printed_and_shown_to_the_player(run, player, told):
    printed = run("notifications", "send", player.platform_id, "Hello ★", "First line\nsecond line")

    assert told() == [printed]
    assert (printed["title"], printed["message"]) == ("Hello ★", "First line\nsecond line")


def test_texts_of_maximum_length_are_accepted(run, player, told):
    run("notifications", "send", player.platform_id, "😀" * 120, "😀" * 1000)

    assert (len(told()[0]["title"]), len(told()[0]["message"])) == (120, 1000)


def test_an_invalid_text_is_refused_in_one_line(fails, player, told):
    bad = {"": TITLE, " ": TITLE, "x" * 121: TITLE, "\udcff": TITLE, "\x00": TITLE}

    said = {title: fails("notifications", "send", player.platform_id, title, "message") for title in bad}
    said_of_messages = [
        fails("notifications", "send", player.platform_id, "title", message)
        for message in ("", "\n", "x" * 1001, "\udcff")
    ]

    assert said == bad
    assert said_of_messages == [MESSAGE] * 4
    assert told() == []


def test_a_notification_to_an_unknown_player_is_refused(fails):
    assert fails("notifications", "send", "76561198999999999", "title", "message") == "Error: User not found"


def test_a_missing_text_is_refused_in_one_line(fails, player):
    assert fails("notifications", "send", player.platform_id, "title") == "Error: Missing argument 'MESSAGE'."
