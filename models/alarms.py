"""Alarms for staff, and how far the checks that raise them have come."""

import peewee
from peewee import SQL, Check

from models.db.connection import Table


class Alarm(Table):
    """Something that staff must look at. It is open until somebody acknowledges it.

    ``ended_at_ms`` is when its cause was gone. While the cause lasts no other row is made for it, also when
    it is acknowledged.
    """

    id = peewee.BigAutoField()
    # The name of the rule, and what it is about, such as a bet or a case.
    rule = peewee.CharField(max_length=32)
    subject = peewee.CharField(max_length=350)
    text = peewee.CharField(max_length=500)
    raised_at_ms = peewee.BigIntegerField()
    ended_at_ms = peewee.BigIntegerField(null=True)
    acknowledged_at_ms = peewee.BigIntegerField(null=True)
    acknowledged_by = peewee.CharField(max_length=80, null=True)
    reason = peewee.CharField(max_length=200, default="")
    # When it is sent to ALARM_WEBHOOK_URL next; null for never. The tries so far, and when it was accepted.
    send_at_ms = peewee.BigIntegerField(null=True)
    tries = peewee.IntegerField(default=0)
    accepted_at_ms = peewee.BigIntegerField(null=True)
    # The name of the member of the staff whom it is about.
    staff_name = peewee.CharField(max_length=32, null=True)

    class Meta:
        table_name = "alarms"
        constraints = [
            Check("(acknowledged_at_ms IS NULL) = (acknowledged_by IS NULL)", "alarms_acknowledged"),
            Check("accepted_at_ms IS NULL OR send_at_ms IS NULL", "alarms_sent"),
        ]


# Raised by several processes at once, it is one row.
Alarm.add_index(
    Alarm.index(
        Alarm.rule,
        Alarm.subject,
        name="alarms_going_on",
        unique=True,
        where=SQL("acknowledged_at_ms IS NULL OR ended_at_ms IS NULL"),
    )
)
# Whether there was such an alarm before.
Alarm.add_index(Alarm.index(Alarm.rule, Alarm.subject, name="alarms_by_subject"))
# The open ones, for metrics and staff.
Alarm.add_index(Alarm.index(Alarm.id, name="alarms_open", where=SQL("acknowledged_at_ms IS NULL")))
# Those to send.
Alarm.add_index(Alarm.index(Alarm.send_at_ms, name="alarms_to_send", where=SQL("send_at_ms IS NOT NULL")))


class AlarmProgress(Table):
    """A number that a check goes on from, such as the last ledger transaction that it has seen."""

    name = peewee.CharField(max_length=32, primary_key=True)
    value = peewee.BigIntegerField()

    class Meta:
        table_name = "alarm_progress"
