"""Events are written with what they describe, and name who did it."""

import pytest

from models.audit_trail import AuditEvent
from models.db.connection import database, reading, writing
from services.audit_trail.actor import Actor, acting_as
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record

AT = 1_700_000_000_123


def events():
    with reading():
        return list(AuditEvent.select().where(AuditEvent.at_ms == AT).order_by(AuditEvent.id))


def test_an_event_has_actor_player_and_one_json_text(app, player):
    with acting_as(Actor("operator:ada", "203.0.113.7")), writing():
        record(AuditEventType.LOGGED_IN, now=AT, user_id=player.id, after={"b": 1, "a": "é"})

    with writing():
        record(AuditEventType.LOGGED_IN, now=AT, user_id=None)

    event, of_the_system = events()
    assert (of_the_system.who, of_the_system.address, of_the_system.player) == ("system", None, None)
    assert (event.who, event.address) == ("operator:ada", "203.0.113.7")
    assert (event.what, event.player) == ("account.logged-in", player.platform_id)
    assert (event.before, event.after) == (None, '{"a":"é","b":1}')


@pytest.mark.regulation("2.8 Significant events")
def test_an_event_is_undone_with_its_transaction(app):
    with reading(), database.atomic() as transaction:
        record(AuditEventType.LOGGED_IN, now=AT, user_id=None)
        transaction.rollback()

    assert events() == []


def test_an_event_needs_a_transaction_and_canonical_values(app):
    with pytest.raises(RuntimeError, match="transaction"), reading():
        record(AuditEventType.LOGGED_IN, now=AT, user_id=None)

    for value in (0.1, {"deep": [1.0]}, {1: "key"}, b"text"):
        with pytest.raises(TypeError), writing():
            record(AuditEventType.LOGGED_IN, now=AT, user_id=None, after={"value": value})
