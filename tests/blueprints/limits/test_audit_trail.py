"""Changes of limits and breaks are events of the audit trail."""

import json

import pytest

from models.audit_trail import AuditEvent
from models.db.connection import reading
from tests.blueprints.limits.conftest import BEGINNING, DAY_MS


@pytest.fixture
def events(player):
    """What happened to limits and breaks of the player, with the values before and after."""

    def read():
        with reading():
            recorded = (
                AuditEvent.select().where(AuditEvent.player == player.platform_id).order_by(AuditEvent.id)
            )
            return [
                (event.what, *(text and json.loads(text) for text in (event.before, event.after)))
                for event in recorded
                if event.what.startswith(("limit.", "exclusion."))
            ]

    return read


def at(cents, kind="wager"):
    return {"kind": kind, "period": "day", "valueCents": cents}


@pytest.mark.regulation("2.8 Account information")
def test_each_change_of_a_limit_is_recorded_with_its_values(put, confirm, events, clock):
    put(50)
    put(49.99)
    put(100)
    put(None)
    put(49.99)
    _, pending = put(60)
    clock.now += DAY_MS
    confirm(pending)

    assert events() == [
        ("limit.set", at(None), at(5000)),
        ("limit.lowered", at(5000), at(4999)),
        ("limit.raise-requested", None, at(10000)),
        ("limit.raise-replaced", at(10000), at(None)),
        ("limit.raise-cancelled", at(None), None),
        ("limit.raise-requested", None, at(6000)),
        ("limit.raise-confirmed", at(4999), at(6000)),
    ]


def test_nothing_is_recorded_when_nothing_changes(put, take_break, confirm, client, events):
    put(None)
    put(50)
    _, pending = put(60)
    take_break("7d")
    before = events()

    confirm(pending)
    put("60")
    take_break("24h")
    take_break("7d")

    assert events() == before


@pytest.mark.regulation("2.8 Significant events")
def test_a_break_and_its_extension_are_recorded(take_break, run, player, events):
    take_break("24h")
    run("users", "exclude", player.platform_id, "permanent")

    until = {"until": BEGINNING + DAY_MS}
    assert events() == [
        ("exclusion.begun", None, until),
        ("exclusion.extended", until, {"until": None}),
    ]
