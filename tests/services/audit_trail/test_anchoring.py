"""Anchors of the audit trail while several processes record events and append to the public log."""

import pytest

from models.audit_trail import AuditEvent
from models.db.connection import reading, writing
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from tests.harness.spins import Clock
from tests.support.at_once import all_at_once

AT = 1_700_000_000_000
PROCESSES, EVENTS = 4, 20


@pytest.fixture
def clock():
    return Clock(AT)


@pytest.mark.security("The audit trail")
@pytest.mark.both_databases("models/audit_trail.py")
def test_events_of_several_processes_at_once_are_anchored_once(make_app, clock, run):
    apps = [make_app(clock=clock) for _ in range(PROCESSES)]
    apps[0].extensions["services"].log.watch()

    def work(app):
        for _ in range(EVENTS):
            with writing():
                record(AuditEventType.LOGGED_IN, now=clock(), user_id=None)
            clock.advance(seconds=20)
            app.extensions["services"].log.append_waiting()

    all_at_once([lambda app=app: work(app) for app in apps])
    clock.advance(minutes=1)
    apps[0].extensions["services"].log.append_waiting()

    with reading():
        numbers = [row.number for row in AuditEvent.select(AuditEvent.number).order_by(AuditEvent.number)]
    assert numbers == list(range(1, PROCESSES * EVENTS + 1))
    assert run("audit", "verify")["problems"] == 0
