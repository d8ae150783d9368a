"""Actions of staff that may need a second person, each stored with who did or proposed it, and why."""

import peewee
from peewee import SQL, Check

from models.db.connection import Table
from models.users import User

PROPOSAL_STATUSES = ("open", "approved", "rejected", "withdrawn", "performed")
EXPIRES_AFTER_MS = 7 * 24 * 3600 * 1000

IS_PERFORMED = SQL("status = 'performed'")
"""With a literal, so that the partial index matches."""


class Proposal(Table):
    """One action. It is ``performed`` at once, or ``open`` until somebody decides about it.

    It leaves ``open`` by one update guarded by the status, in the transaction that executes the action. An
    expired one stays ``open``.
    """

    id = peewee.BigAutoField()
    # A name of ``ACTIONS`` (services/staff/actions.py).
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


# Those that wait for a second person, and the others.
Proposal.add_index(Proposal.index(Proposal.id, name="proposals_open", where=SQL("status = 'open'")))
Proposal.add_index(Proposal.index(Proposal.id, name="proposals_closed", where=SQL("status <> 'open'")))
# What one person did lately.
Proposal.add_index(Proposal.index(Proposal.decided_at_ms, name="proposals_performed", where=IS_PERFORMED))
# A player's, and what was added to a balance without a second person.
Proposal.add_index(
    Proposal.index(Proposal.user, Proposal.id, name="proposals_of_player", where=SQL("user_id IS NOT NULL"))
)
