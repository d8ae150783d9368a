"""Four eyes: what one person proposes, a second one approves, and both together execute.

A proposal leaves ``open`` by one guarded update, in the transaction that executes its action. So of two
people who approve it at the same moment, in any two processes, one executes it. If a rule refuses the action,
the transaction is rolled back, and the proposal stays open.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any, NamedTuple, NoReturn, Protocol

import peewee

from models.db.connection import database, reading, repeatable_read, writing
from models.staff import EXPIRES_AFTER_MS, Proposal
from models.users import User
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared import decimal_json
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.pagination import Page, Place, rows_of_page
from services.shared.text import LEAST_OF_STAFF, checked_reason
from services.staff import accounts
from services.staff.actions import Action, Arguments
from services.staff.permissions import Permission, may
from settings import Settings

MAX_DESCRIPTION = 500


class ProposalStatus(StrEnum):
    """``expired`` is not stored: it is an open one after seven days."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    PERFORMED = "performed"
    """By one person, because no second one was needed."""
    EXPIRED = "expired"


class NotPermitted(Refusal):
    """The role does not have the permission of the action."""

    status = 403
    text = "Your role does not allow this"

    def __init__(self, permission: Permission) -> None:
        super().__init__()
        self.permission = permission


class StaffMember(Protocol):
    """A staff account: models/staff.py."""

    name: Any
    role: Any


class Outcome(NamedTuple):
    """What became of an action: ``message`` says it in one sentence."""

    proposal: Proposal
    message: str

    @property
    def is_done(self) -> bool:
        """Whether it was executed, and does not wait for a second person."""
        return bool(self.proposal.status != ProposalStatus.OPEN)


class _Rehearsed(Exception):
    """Rolls back the transaction in which an action was tried."""


class Proposals:
    """Performs actions, or has them approved first."""

    def __init__(self, actions: Sequence[Action], settings: Settings) -> None:
        self.actions: Mapping[str, Action] = {action.name: action for action in actions}
        self.needs_two = settings.office_four_eyes

    def perform_or_propose(
        self,
        name: str,
        arguments: Arguments,
        *,
        reason: str,
        by: StaffMember,
        now: Millis,
        form_key: str | None = None,
    ) -> Outcome:
        """Execute an action at once if it needs no second person, else propose it.

        The same ``form_key`` again does nothing. A proposal that would be refused now is refused. Raises
        NotPermitted, AnotherPerson, Refusal for a bad reason, and what the action raises.
        """
        action, reason = self.actions[name], checked_reason(reason, least=LEAST_OF_STAFF)
        check_permission(by, action.permission)
        if form_key and (first := _of_form(form_key, by)):
            return _as_before(first)
        stored: dict[str, Any] = {"reason": reason, "by": by, "now": now, "form_key": form_key}
        try:
            with writing():
                self._check_people(action, arguments, by.name, now=now)
                if not (self.needs_two and action.needs_second(arguments, by=by.name, now=now)):
                    message = action.execute(arguments, reason=reason, now=now)
                    done = ProposalStatus.PERFORMED
                    return Outcome(_store(action, arguments, done, **stored), message)
            stored_arguments, told = action.split(arguments)
            self._rehearse(action, stored_arguments, reason=reason, now=now)
            with writing():
                made = _store(action, stored_arguments, ProposalStatus.OPEN, **stored)
                _record(AuditEventType.PROPOSAL_MADE, made, now=now, reason=reason)
        except peewee.IntegrityError:
            # The same form was sent twice at once.
            if form_key and (first := _of_form(form_key, by)):
                return _as_before(first)
            raise
        message = f"Proposed as number {made.id}. A second person must approve it"
        return Outcome(made, f"{message}. {told}" if told else message)

    def approve(self, proposal_id: int, *, by: StaffMember, now: Millis) -> str:
        """Execute a proposal, once; returns what was done, in one sentence.

        Raises NotPermitted, AnotherPerson, and Refusal for an unknown or a person's own proposal, one that
        is not open any more, and one of somebody who may not do this any more. What the action
        raises leaves the proposal open.
        """
        proposal, action = self._open(proposal_id, by=by, now=now)
        if proposal.proposed_by == by.name:
            raise Refusal("nobody approves their own proposal")
        with writing():
            self._decide(proposal, ProposalStatus.APPROVED, by=by, now=now)
            if not accounts.may_still(proposal.proposed_by, action.permission):
                raise Refusal("who proposed it may not do this any more: reject the proposal")
            # Accounts of staff are locked before players, everywhere.
            self._check_people(action, arguments_of(proposal), by.name, proposal.proposed_by, now=now)
            # First: the action may end the session of whoever approves it.
            _record(AuditEventType.PROPOSAL_APPROVED, proposal, now=now, reason=proposal.reason)
            return action.execute(arguments_of(proposal), reason=proposal.reason, now=now)

    def reject(self, proposal_id: int, *, reason: str, by: StaffMember, now: Millis) -> None:
        """End another person's proposal without executing it. Raises what ``approve`` raises."""
        reason = checked_reason(reason, least=LEAST_OF_STAFF)
        proposal, _ = self._open(proposal_id, by=by, now=now)
        if proposal.proposed_by == by.name:
            raise Refusal("withdraw your own proposal instead of rejecting it")
        with writing():
            self._decide(proposal, ProposalStatus.REJECTED, by=by, now=now, decision_reason=reason)
            _record(AuditEventType.PROPOSAL_REJECTED, proposal, now=now, reason=reason)

    def withdraw(self, proposal_id: int, *, reason: str, by: StaffMember, now: Millis) -> None:
        """End one's own proposal. Raises Refusal for an unknown one, and another person's."""
        reason = checked_reason(reason, least=LEAST_OF_STAFF)
        proposal = get(proposal_id)
        if proposal.proposed_by != by.name:
            raise Refusal("only who made a proposal can withdraw it")
        with writing():
            self._decide(proposal, ProposalStatus.WITHDRAWN, by=by, now=now, decision_reason=reason)
            _record(AuditEventType.PROPOSAL_WITHDRAWN, proposal, now=now, reason=reason)

    def may_decide(self, proposal: Proposal, by: StaffMember) -> bool:
        """Whether this person may approve or reject it, if it is open."""
        action = self.actions.get(proposal.action)
        return action is not None and proposal.proposed_by != by.name and may(by.role, action.permission)

    def _open(self, proposal_id: int, *, by: StaffMember, now: Millis) -> tuple[Proposal, Action]:
        """The proposal, and its action. Raises NotPermitted, Refusal."""
        proposal = get(proposal_id)
        action = self.actions.get(proposal.action)
        if action is None:
            raise Refusal("this version does not know the action")
        check_permission(by, action.permission)
        _check_open(proposal, now=now)
        return proposal, action

    def _check_people(self, action: Action, arguments: Arguments, *names: str, now: Millis) -> None:
        """Raises AnotherPerson if one of these people must have no part in it."""
        for name in names if self.needs_two else ():
            action.check_person(arguments, by=name, now=now)

    def _decide(
        self, proposal: Proposal, status: ProposalStatus, *, by: StaffMember, now: Millis, **more: str
    ) -> None:
        """Let a proposal leave ``open``. Of concurrent calls one succeeds, others raise Refusal."""
        values = {"status": status, "decided_by": by.name, "decided_at_ms": now, **more}
        is_open = (Proposal.id == proposal.id) & (Proposal.status == ProposalStatus.OPEN)
        is_recent = Proposal.proposed_at_ms > now - EXPIRES_AFTER_MS
        if not Proposal.update(values).where(is_open, is_recent).execute():
            _refuse(get(proposal.id), now=now)

    def _rehearse(self, action: Action, arguments: Arguments, *, reason: str, now: Millis) -> None:
        """Execute the action and undo that, so that nobody proposes what the rules refuse."""
        if database.in_transaction():
            raise RuntimeError("a rehearsal must be able to roll back")
        with suppress(_Rehearsed), writing():
            action.execute(arguments, reason=reason, now=now)
            raise _Rehearsed


LISTED = [field for field in Proposal._meta.sorted_fields if field is not Proposal.arguments]  # noqa: SLF001
"""The columns that lists need. The arguments may be a document."""


@reading()
def get(proposal_id: int) -> Proposal:
    """The proposal with this number. Raises Refusal."""
    proposal: Proposal | None = Proposal.get_or_none(Proposal.id == proposal_id)
    if proposal is None:
        raise Refusal("Proposal not found", status=404)
    return proposal


@reading()
def player_of(proposal: Proposal) -> User | None:
    """The player whom a proposal concerns."""
    user_id: int | None = proposal.user_id  # type: ignore[attr-defined]  # made by peewee
    return None if user_id is None else User.get_by_id(user_id)


def status_of(proposal: Proposal, *, now: Millis) -> ProposalStatus:
    """The status now: an open proposal expires after seven days."""
    if proposal.status == ProposalStatus.OPEN and proposal.expires_at_ms <= now:
        return ProposalStatus.EXPIRED
    return ProposalStatus(proposal.status)


def page(*, is_open: bool, place: Place, now: Millis) -> Page[Proposal]:
    """A page of the proposals that can be approved, or of all other actions, newest first."""
    is_recent = Proposal.proposed_at_ms > now - EXPIRES_AFTER_MS
    can_be_approved = (Proposal.status == ProposalStatus.OPEN) & is_recent
    query = Proposal.select(*LISTED).where(can_be_approved if is_open else ~can_be_approved)
    with repeatable_read(within_limit=True):
        total = query.count()
        return Page(rows_of_page(query, order=[Proposal.id.desc()], place=place, total=total), total)


@reading()
def open_count(*, now: Millis) -> int:
    """How many proposals wait for a second person."""
    is_recent = Proposal.proposed_at_ms > now - EXPIRES_AFTER_MS
    return int(Proposal.select().where(Proposal.status == ProposalStatus.OPEN, is_recent).count())


@reading()
def open_of(*, action: str, now: Millis) -> list[Proposal]:
    """The proposals of this action that can be approved, oldest first."""
    is_recent = Proposal.proposed_at_ms > now - EXPIRES_AFTER_MS
    query = Proposal.select().where(Proposal.status == ProposalStatus.OPEN, is_recent)
    return list(query.where(Proposal.action == action).order_by(Proposal.id))


def arguments_of(proposal: Proposal) -> dict[str, Any]:
    """The arguments of its action."""
    arguments: dict[str, Any] = decimal_json.loads(proposal.arguments)
    return arguments


def check_permission(by: StaffMember, permission: Permission) -> None:
    """Raises NotPermitted."""
    if not may(by.role, permission):
        raise NotPermitted(permission)


def _check_open(proposal: Proposal, *, now: Millis) -> None:
    if status_of(proposal, now=now) is not ProposalStatus.OPEN:
        _refuse(proposal, now=now)


def _refuse(proposal: Proposal, *, now: Millis) -> NoReturn:
    by = f" by {proposal.decided_by}" if proposal.decided_by else ""
    raise Refusal(f"the proposal is {status_of(proposal, now=now)}{by}, not open")


def _store(
    action: Action,
    arguments: Arguments,
    status: ProposalStatus,
    *,
    reason: str,
    by: StaffMember,
    now: Millis,
    form_key: str | None,
) -> Proposal:
    is_open = status is ProposalStatus.OPEN
    decision = {} if is_open else {"decided_by": by.name, "decided_at_ms": now}
    stored: Proposal = Proposal.create(
        action=action.name,
        arguments=decimal_json.dumps(arguments),
        description=action.describe(arguments)[:MAX_DESCRIPTION],
        user=action.user_id(arguments),
        amount_cents=action.amount(arguments),
        reason=reason,
        status=status,
        proposed_by=by.name,
        proposed_at_ms=now,
        form_key=form_key,
        **decision,
    )
    return stored


@reading()
def _of_form(form_key: str, by: StaffMember) -> Proposal | None:
    """What this person's form has done. Raises Refusal if another person's form has the key."""
    first: Proposal | None = Proposal.get_or_none(Proposal.form_key == form_key)
    if first is not None and first.proposed_by != by.name:
        raise Refusal("the form was made for another person")
    return first


def _as_before(first: Proposal) -> Outcome:
    return Outcome(first, "This form was sent before, and nothing was done again")


def _record(event: AuditEventType, proposal: Proposal, *, now: Millis, reason: str) -> None:
    """Record an event that names the proposer; the actor of the event is whoever does this."""
    user_id: int | None = proposal.user_id  # type: ignore[attr-defined]  # made by peewee
    after = {
        "proposal": proposal.id,
        "action": proposal.action,
        "proposedBy": f"staff:{proposal.proposed_by}",
        "reason": reason,
    }
    record(event, now=now, user_id=user_id, after=after)
