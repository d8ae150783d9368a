"""Setting, lowering, raising and removing a limit."""

import pytest

from services.limits import limits as service
from tests.blueprints.limits.conftest import DAY_MS, NO_LIMITS
from tests.support.at_once import all_at_once

NOT_FOUND = (404, {"error": "Request not found"})
TOO_EARLY = (400, {"error": "Too early"})


@pytest.mark.regulation("RTS 12A: limits at any time")
def test_each_first_limit_counts_at_once(put, limits):
    nothing = dict.fromkeys(("wager", "loss", "deposit"), NO_LIMITS) | {"pending": [], "exclusion": None}
    assert limits() == nothing
    # Removing what is not there changes nothing.
    assert put(None) == (200, limits())
    wager = {"day": 0, "week": 0.01, "month": 1_000_000_000}
    loss = {"day": 12.34, "week": 50, "month": None}
    deposit = {"day": 20, "week": 20, "month": 0}

    answers = [put(value, "wager", period) for period, value in wager.items()]
    answers += [put(value, "loss", period) for period, value in loss.items() if value is not None]
    answers += [put(value, "deposit", period) for period, value in deposit.items()]

    assert [status for status, _ in answers] == [200] * 8
    assert answers[0][1] == nothing | {"wager": NO_LIMITS | {"day": 0}}
    assert answers[-1][1] == limits() == nothing | {"wager": wager, "loss": loss, "deposit": deposit}


@pytest.mark.regulation("RTS 12D: lower now, higher later")
@pytest.mark.regulation("2.5.5 Limitations")
@pytest.mark.parametrize("value", [49.99, 50], ids=["lower", "the same"])
def test_a_lower_limit_applies_at_once_and_cancels_its_raise(put, limits, confirm, value):
    put(50)
    put(50, "loss")
    _, cancelled = put(100)
    _, other = put(100, "loss")

    _, body = put(value)

    assert body == limits()
    assert body["wager"]["day"] == value
    assert body["pending"] == [other]
    assert confirm(cancelled) == NOT_FOUND


@pytest.mark.security("Limits and breaks")
@pytest.mark.regulation("RTS 12D: lower now, higher later")
@pytest.mark.regulation("2.5.5 Limitations")
@pytest.mark.parametrize("kind", ["loss", "deposit"])
def test_a_raise_is_pending_until_confirmed_after_24_hours(put, limits, confirm, clock, kind):
    put(50, kind, "week")

    for before, value in ((50, 50.01), (50.01, None)):
        requested = clock.now
        status, pending = put(value, kind, "week")

        assert status == 200
        assert pending == {
            "id": pending["id"],
            "kind": kind,
            "period": "week",
            "value": value,
            "confirmableAt": requested + DAY_MS,
            "expiresAt": requested + 7 * DAY_MS,
        }
        assert limits()["pending"] == [pending]
        clock.now += DAY_MS - 1
        assert confirm(pending) == TOO_EARLY
        assert limits()[kind]["week"] == before
        clock.now += 1
        status, body = confirm(pending)
        assert (status, body) == (200, limits())
        assert body[kind]["week"] == value
        assert body["pending"] == []


@pytest.mark.regulation("RTS 12D: lower now, higher later")
def test_a_request_is_confirmed_once_and_expires_after_seven_days(put, limits, confirm, clock):
    put(50)
    _, pending = put(100)
    clock.now += 7 * DAY_MS - 1
    assert limits()["pending"] == [pending]
    assert confirm(pending)[0] == 200
    assert confirm(pending) == NOT_FOUND

    _, expired = put(None)
    clock.now += 7 * DAY_MS

    assert limits()["pending"] == []
    assert confirm(expired) == NOT_FOUND
    assert limits()["wager"]["day"] == 100
    _, replacing = put(200)
    assert limits()["pending"] == [replacing]


def test_a_request_replaces_an_earlier_one_and_waits_anew(put, limits, confirm, clock):
    put(50)
    _, replaced = put(None)
    clock.now += DAY_MS

    _, pending = put(100)

    assert limits()["pending"] == [pending]
    assert confirm(replaced) == NOT_FOUND
    assert confirm(pending) == TOO_EARLY
    clock.now += DAY_MS
    assert confirm(pending)[1]["wager"]["day"] == 100


def test_a_limit_raised_above_the_request_is_lowered_at_once(put, limits, confirm, clock, monkeypatch):
    """The confirmation comes between the look at the limit and the request for a higher one."""
    put(50)
    _, pending = put(200)
    clock.now += DAY_MS
    request = service.request
    monkeypatch.setattr(service, "request", lambda **wanted: confirm(pending) and request(**wanted))

    assert put(100) == (200, limits())
    assert (limits()["wager"]["day"], limits()["pending"]) == (100, [])


def test_another_players_request_and_an_unknown_one_are_not_found(put, limits, confirm, new_player, clock):
    put(50)
    _, pending = put(100)
    clock.now += DAY_MS

    assert confirm(pending, by=new_player("mallory")) == NOT_FOUND
    assert limits()["pending"] == [pending]
    unknown = ("1", "0" * 32, "%ED%A0%80", "F" * 32)
    assert [confirm({"id": request_id}) for request_id in unknown] == [NOT_FOUND] * 4


@pytest.mark.both_databases("a race")
def test_one_of_many_confirmations_at_once_succeeds(put, limits, confirm, clock):
    put(50)
    _, pending = put(None)
    clock.now += DAY_MS

    answers = all_at_once([lambda: confirm(pending)] * 8)

    assert sorted(status for status, _ in answers) == [200] + [404] * 7
    assert limits()["wager"]["day"] is None


@pytest.mark.both_databases("a race")
def test_a_limit_that_is_confirmed_and_lowered_at_once_ends_lower(put, limits, confirm, clock):
    for value in (100, 90, 80):
        put(value)
        _, pending = put(500)
        clock.now += DAY_MS

        all_at_once([lambda pending=pending: confirm(pending), lambda value=value: put(value - 5)])

        assert (limits()["wager"]["day"], limits()["pending"]) == (value - 5, [])


AMOUNT = "value: must be null or an amount from 0 to 1000000000 with at most two decimals"
MISSING = "Missing data for required field."


def test_an_invalid_change_is_refused(client, player, limits):
    before = limits()

    for change, error in (
        ({"value": -0.01}, AMOUNT),
        ({"value": 0.001}, AMOUNT),
        ({"value": 1_000_000_000.01}, AMOUNT),
        ({"value": "50"}, AMOUNT),
        ({"value": True}, AMOUNT),
        ({"value": [50]}, AMOUNT),
        ({"value": ...}, f"value: {MISSING}"),
        ({"kind": "withdrawal"}, "kind: must be one of wager, loss, deposit"),
        ({"kind": ...}, f"kind: {MISSING}"),
        ({"kind": 1}, "kind: Not a valid string."),
        ({"period": "year"}, "period: must be one of day, week, month"),
        ({"period": ...}, f"period: {MISSING}"),
    ):
        body = {"kind": "wager", "period": "day", "value": 50} | change
        body = {name: value for name, value in body.items() if value is not ...}
        answer = client.put("/limits", json=body, headers=player.headers)
        assert (change, answer.status_code, answer.json) == (change, 400, {"error": error})

    assert limits() == before
