"""Staff of the back office: accounts, sessions, and wrong tries to sign in."""

import peewee
from peewee import Check

from models.db.connection import Table

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
StaffSession.add_index(
    StaffSession.index(StaffSession.staff, StaffSession.began_at_ms, name="staff_sessions_of_account")
)


class StaffLoginFailure(Table):
    """A wrong try to sign in, or one that has not ended yet. Tries with unknown names are counted too."""

    id = peewee.BigAutoField()
    # A keyed digest: people type passwords into the field of the name.
    name_digest = peewee.CharField(max_length=64)
    network = peewee.CharField(max_length=64)
    at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "staff_login_failures"


# Counting the tries for a name.
StaffLoginFailure.add_index(
    StaffLoginFailure.index(
        StaffLoginFailure.name_digest, StaffLoginFailure.at_ms, name="staff_login_failures_of_name"
    )
)
# Deleting old ones, and counting the recent ones of all names.
StaffLoginFailure.add_index(
    StaffLoginFailure.index(StaffLoginFailure.at_ms, name="staff_login_failures_by_time")
)
