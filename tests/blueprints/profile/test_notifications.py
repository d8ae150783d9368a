"""Notifications: newest first, at most a hundred, and one while the vault can be unlocked."""

import pytest

from models.db.connection import reading
from models.users import Notification
from services.accounts.notifications import notify

DAY = 24 * 3600 * 1000
URL = "https://steamcommunity.com/tradeoffer/new/?partner=1"


@pytest.fixture
def tell(player, clock):
    """Sends a player a notification with the clock's time."""
    return lambda title, *, to=player: notify(user_id=to.id, title=title, message="…", now=clock.now)


@pytest.fixture
def locked(call, clock):
    """Locks ten coins of the player; returns the deadline."""
    deadline = clock.now + DAY
    assert call("POST", "vault/lock", {"amount": 10, "deadline": deadline})[0] == 200
    return deadline


def titles(told):
    return [notification["title"] for notification in told]


def test_notifications_are_complete_and_the_newest_comes_first(notifications, player, clock):
    assert notifications() == []
    sent = [
        {"title": "first", "message": "A “message” ★", "date": clock.now},
        {"title": "second", "message": "…", "date": clock.now + 1},
        {"title": "third of the same time", "message": "…", "date": clock.now + 1},
    ]

    for each in sent:
        notify(user_id=player.id, title=each["title"], message=each["message"], now=each["date"])

    assert notifications() == sent[::-1]


def test_the_newest_hundred_notifications_are_kept(notifications, tell, new_player):
    other = new_player("other")
    tell("for another", to=other)
    for number in range(103):
        tell(str(number))

    assert titles(notifications()) == [str(number) for number in range(102, 2, -1)]
    assert titles(notifications(other)) == ["for another"]
    with reading():
        assert Notification.select().count() == 101


def test_clearing_deletes_only_the_players_own_notifications(call, notifications, tell, new_player):
    other = new_player("other")
    tell("mine")
    tell("not mine", to=other)

    # The second time there is nothing to clear.
    assert [call("DELETE", "notifications") for _ in range(2)] == [(200, {"success": True})] * 2
    assert notifications() == []
    assert titles(notifications(other)) == ["not mine"]


def test_a_passed_vault_deadline_is_notified_until_unlocked(call, notifications, locked, clock):
    clock.now += DAY - 1
    assert notifications() == []
    clock.now += DAY

    for _ in range(2):
        assert [(told["title"], told["date"]) for told in notifications()] == [("Vault unlockable", locked)]
        call("DELETE", "notifications")
    call("POST", "vault/unlock")
    assert notifications() == []


def test_a_changed_trade_url_is_notified_once_without_the_url(call, notifications, clock):
    for _ in range(2):
        call("PUT", "trade-url", {"url": URL + "&token=secret"})

    (told,) = notifications()

    assert (told["title"], told["date"]) == ("Trade URL changed", clock.now)
    assert "secret" not in told["message"]


def test_reading_notifications_is_kept_and_moves_forward_only(call, me, tell, clock):
    tell("Welcome")
    read_at = clock.now

    for date in (read_at, read_at - 1, 0):
        assert call("POST", "notifications/read", {"date": date}) == (200, {"success": True})

        assert me()["notificationsReadAt"] == read_at
    # No later notification is read already.
    call("POST", "notifications/read", {"date": 2**62})
    assert me()["notificationsReadAt"] == clock.now


def test_a_date_that_is_no_time_reads_nothing(call, me):
    for date in (None, -1, 1.5, "5", True, 2**63):
        status, answer = call("POST", "notifications/read", {"date": date})

        assert (status, answer["error"].split(":")[0]) == (400, "date")
    assert me()["notificationsReadAt"] == 0
