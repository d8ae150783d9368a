"""flask notifications send: messages of an operator to a player."""

import pytest

TITLE = "Error: the title must be a text of 1 to 120 characters"
MESSAGE = "Error: the message must be a text of 1 to 1000 characters"


@pytest.fixture
def notifications(client, player):
    """The player's notifications."""
    return lambda: client.get("/profile/notifications", headers=player.headers).json


def test_a_sent_notification_is_printed_and_shown_to_the_player(run, player, notifications):
    printed = run("notifications", "send", player.platform_id, "Hello ★", "First line\nsecond line")

    assert notifications() == [printed]
    assert (printed["title"], printed["message"]) == ("Hello ★", "First line\nsecond line")


def test_a_text_is_accepted_up_to_its_maximum_length(run, fails, player, notifications):
    run("notifications", "send", player.platform_id, "😀" * 120, "😀" * 1000)
    bad = {
        **{(title, "message"): TITLE for title in ("", " ", "x" * 121, "\udcff", "\x00")},
        **{("title", message): MESSAGE for message in ("", "\n", "x" * 1001, "\udcff")},
        ("title",): "Error: Missing argument 'MESSAGE'.",
    }

    said = {texts: fails("notifications", "send", player.platform_id, *texts) for texts in bad}

    assert said == bad
    assert [(len(sent["title"]), len(sent["message"])) for sent in notifications()] == [(120, 1000)]
