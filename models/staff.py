"""Staff of the back office: accounts, sessions, actions that may need a second person, and alarms."""

import peewee
from peewee import SQL, Check

from models.db.connection import Table
from models.users import User

ROLES = ("support", "payments", "content", "compliance", "auditor", "admin")
"""What the column ``role`` may have. services/staff/permissions.py says what each role may do."""


class StaffAccount(Table):
    """A person of the staff. The password and the authenticator are set with an enrolment link."""

    id = peewee.BigAutoField()
    name = peewee.CharField(max_length=32, unique=True)
    role = peewee.CharField(max_length=16, constraints=[Check(f"role IN {ROLES}")])
    # By argon2, with its parameters. Null until the person has enrolled.
    password_hash = peewee.CharField(max_length=255, null=True)
    # Of the authenticator. It is drawn with the link, and used once the person has enrolled.
    encrypted_secret = peewee.TextField(null=True)
    # The time step (Unix seconds / 30) of the newest accepted code. This and all earlier codes are used up.
    last_used_step = peewee.BigIntegerField(null=True)
    # The SHA-256 of the text in the enrolment link. Enrolling removes it.
    enrolment_hash = peewee.CharField(max_length=64, null=True, unique=True)
    enrolment_expires_at_ms = peewee.BigIntegerField(null=True)
    created_at_ms = peewee.BigIntegerField()
    last_login_at_ms = peewee.BigIntegerField(null=True)
    disabled_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "staff_accounts"


class StaffSession(Table):
    """A session in a browser. The row stays for 30 days: its network counts as known to the account."""

    # The SHA-256 of the text in the cookie.
    token_hash = peewee.CharField(max_length=64, primary_key=True)
    staff = peewee.ForeignKeyField(StaffAccount, on_delete="CASCADE", index=False)
    # The client's address, or for IPv6 its /64.
    network = peewee.CharField(max_length=64)
    began_at_ms = peewee.BigIntegerField()
    # Within a minute.
    last_seen_at_ms = peewee.BigIntegerField()
    # When the person last gave a code of the authenticator.
    confirmed_at_ms = peewee.BigIntegerField()
    ended_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "staff_sessions"
        # Ending the sessions of an account, and finding its known networks.
        indexes = (SQL("CREATE INDEX staff_sessions_of_account ON staff_sessions (staff_id, began_at_ms)"),)


class StaffLoginFailure(Table):
    """A wrong try to sign in, or one that has not ended yet. Tries with unknown names are counted too."""

    id = peewee.BigAutoField()
    # A keyed digest: people type passwords into the field of the name.
    name_digest = peewee.CharField(max_length=64)
    network = peewee.CharField(max_length=64)
    at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "staff_login_failures"
        indexes = (
            # Counting the tries for a name.
            SQL("CREATE INDEX staff_login_failures_of_name ON staff_login_failures (name_digest, at_ms)"),
            # Deleting old ones, and counting the recent ones of all names.
            SQL("CREATE INDEX staff_login_failures_by_time ON staff_login_failures (at_ms)"),
        )


PROPOSAL_STATUSES = ("open", "approved", "rejected", "withdrawn", "performed")
EXPIRES_AFTER_MS = 7 * 24 * 3600 * 1000

IS_PERFORMED = SQL("status = 'performed'")
"""With a literal, so that the partial index matches."""


class Proposal(Table):
    """An action of staff: one that was done at once, or one that needs a second person.

    The first kind is ``performed``: who did it is in both ``proposed_by`` and ``decided_by``. The second
    kind is ``open`` until somebody decides about it. It leaves ``open`` by one update guarded by the status,
    in the transaction that executes the action. An expired one stays ``open``.
    """

    id = peewee.BigAutoField()
    # ``Action.name`` (services/staff/proposals.py).
    action = peewee.CharField(max_length=32)
    # JSON.
    arguments = peewee.TextField()
    # What the arguments mean. They may be a whole document, which lists must not read.
    description = peewee.CharField(max_length=500)
    # The player whom it concerns.
    user = peewee.ForeignKeyField(User, null=True, on_delete="RESTRICT", index=False)
    # What it adds to a balance or sends; null for other actions.
    amount_cents = peewee.BigIntegerField(null=True)
    reason = peewee.CharField(max_length=200)
    status = peewee.CharField(max_length=9, constraints=[Check(f"status IN {PROPOSAL_STATUSES}")])
    proposed_by = peewee.CharField(max_length=64)
    proposed_at_ms = peewee.BigIntegerField()
    decided_by = peewee.CharField(max_length=64, null=True)
    decided_at_ms = peewee.BigIntegerField(null=True)
    # Why it was rejected.
    decision_reason = peewee.CharField(max_length=200, default="")
    # Of the form that was sent, so that sending it again does nothing.
    form_key = peewee.CharField(max_length=32, null=True, unique=True)

    @property
    def expires_at_ms(self) -> int:
        """From when it can't be approved any more."""
        return int(self.proposed_at_ms) + EXPIRES_AFTER_MS

    class Meta:
        table_name = "proposals"
        constraints = [
            Check("(status = 'open') = (decided_by IS NULL)", "proposals_decided"),
            Check("(decided_by IS NULL) = (decided_at_ms IS NULL)", "proposals_decided_at"),
            # Whatever the code does, nobody approves their own.
            Check("status <> 'approved' OR decided_by <> proposed_by", "proposals_four_eyes"),
        ]
        indexes = (
            # Those that wait for a second person, and the others.
            SQL("CREATE INDEX proposals_open ON proposals (id) WHERE status = 'open'"),
            SQL("CREATE INDEX proposals_closed ON proposals (id) WHERE status <> 'open'"),
            # What one person did lately.
            SQL("CREATE INDEX proposals_performed ON proposals (decided_at_ms) WHERE status = 'performed'"),
            # A player's, and what was added to a balance without a second person.
            SQL("CREATE INDEX proposals_of_player ON proposals (user_id, id) WHERE user_id IS NOT NULL"),
        )


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
        indexes = (
            # Raised by several processes at once, it is one row.
            SQL(
                "CREATE UNIQUE INDEX alarms_going_on ON alarms (rule, subject)"
                " WHERE acknowledged_at_ms IS NULL OR ended_at_ms IS NULL"
            ),
            # Whether there was such an alarm before.
            SQL("CREATE INDEX alarms_by_subject ON alarms (rule, subject)"),
            # The open ones, for metrics and staff.
            SQL("CREATE INDEX alarms_open ON alarms (id) WHERE acknowledged_at_ms IS NULL"),
            # Those to send.
            SQL("CREATE INDEX alarms_to_send ON alarms (send_at_ms) WHERE send_at_ms IS NOT NULL"),
        )


class AlarmProgress(Table):
    """A number that a check goes on from, such as the last ledger transaction that it has seen."""

    name = peewee.CharField(max_length=32, primary_key=True)
    value = peewee.BigIntegerField()

    class Meta:
        table_name = "alarm_progress"
