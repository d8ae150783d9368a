"""flask notifications: what an operator tells a player."""

import pytest

TITLE = "Error: the title must be a text of 1 to 120 characters"
MESSAGE = "Error: the message must be a text of 1 to 1000 characters"


@pytest.fixture
def told(client, player):
    """The player's notifications."""
    return lambda: client.get("/profile/notifications", headers=player.headers).json


def test_a_notification_that_was_sent_is_printed_and_told(run, player, told):
    printed = run("notifications", "send", player.platform_id, "Hello ★", "First line\nsecond line")

    assert told() == [printed]
    assert (printed["title"], printed["message"]) == ("Hello ★", "First line\nsecond line")


def test_the_longest_texts_are_taken(run, player, told):
    run("notifications", "send", player.platform_id, "😀" * 120, "😀" * 1000)

    assert (len(told()[0]["title"]), len(told()[0]["message"])) == (120, 1000)


def test_a_text_that_cannot_be_is_refused_in_one_line(fails, player, told):
    bad = {"": TITLE, " ": TITLE, "x" * 121: TITLE, "\udcff": TITLE, "\x00": TITLE}

    said = {title: fails("notifications", "send", player.platform_id, title, "message") for title in bad}
    said_of_messages = [
        fails("notifications", "send", player.platform_id, "title", message)
        for message in ("", "\n", "x" * 1001, "\udcff")
    ]

    assert said == bad
    assert said_of_messages == [MESSAGE] * 4
    assert told() == []


def test_nobody_is_told_nothing(fails):
    assert fails("notifications", "send", "76561198999999999", "title", "message") == "Error: User not found"


def test_a_missing_text_is_refused_in_one_line(fails, player):
    assert fails("notifications", "send", player.platform_id, "title") == "Error: Missing argument 'MESSAGE'."
