"""Actions that may need a second person: one person proposes, another approves, and the approval executes.

A proposal leaves ``open`` by one guarded update, in the transaction that executes its action. So of two
people who approve it at the same moment, in any two processes, one executes it. If a rule refuses the action,
the transaction is rolled back, and the proposal stays open.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

import peewee

from models.db.connection import database, reading, writing
from models.staff import EXPIRES_AFTER_MS, Proposal, StaffAccount
from models.users import User
from services.audit_trail import recording
from services.audit_trail.events import AuditEventType
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.imports import Preview
from services.shared.money import Cents
from services.shared.pagination import Page, Place, counted_page
from services.staff import accounts
from services.staff.permissions import Permission, may
from settings import Settings

MAX_DESCRIPTION = 500

Arguments = Mapping[str, Any]
"""What JSON can hold. Players are named by their platform ids, amounts are in cents."""


class Action(ABC):
    """One kind of action. A new one needs a line in ``services/container.py``."""

    name: ClassVar[str]
    permission: ClassVar[Permission]
    """Of whoever does or proposes it, and of whoever approves it."""

    @abstractmethod
    def describe(self, arguments: Arguments) -> str:
        """One sentence about what it does, for whoever decides. Reads nothing."""

    @abstractmethod
    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        """Do it within the caller's transaction; returns what was done, in one sentence.

        Raises Refusal for what the rules refuse.
        """

    def prepare_proposal(self, arguments: Arguments) -> tuple[Arguments, str]:
        """The arguments that a proposal stores, and a sentence that only the proposer sees, once."""
        return arguments, ""

    def check_conflict(self, arguments: Arguments, *, by: str, now: Millis) -> None:  # noqa: B027
        """Raise ConflictOfInterest if this person must neither do, propose nor approve it.

        Called within the transaction that would execute it, and not while no action needs a second person.
        """

    def needs_approval(self, arguments: Arguments, *, by: str, now: Millis) -> bool:  # noqa: ARG002
        """Whether a second person must approve it if this one does it.

        Called within the transaction that would execute it. May lock rows until its end.
        """
        return True

    def preview(self, arguments: Arguments, *, now: Millis) -> Preview | None:  # noqa: ARG002
        """What an import would change now; None for all other actions. Raises Refusal."""
        return None

    def find_user_id(self, arguments: Arguments) -> int | None:  # noqa: ARG002
        """The player whom it concerns. Raises an error if there is no such player."""
        return None

    def find_amount(self, arguments: Arguments) -> Cents | None:  # noqa: ARG002
        """What it adds to a balance, or sends."""
        return None


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


class ActionResult(NamedTuple):
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
        self._four_eyes = settings.office_four_eyes

    def perform_or_propose(
        self,
        name: str,
        arguments: Arguments,
        *,
        reason: str,
        by: StaffAccount,
        now: Millis,
        form_key: str | None = None,
    ) -> ActionResult:
        """Execute an action at once if it needs no second person, else propose it.

        The same ``form_key`` again does nothing. A proposal that would be refused now is refused. Raises
        NotPermitted, ConflictOfInterest, and what the action raises.
        """
        action = self.actions[name]
        _check_permission(by, action)
        columns = {"reason": reason, "proposed_by": by.name, "proposed_at_ms": now, "form_key": form_key}
        try:
            return (
                _find_earlier(form_key, by)
                or self._perform(action, arguments, columns)
                or self._propose(action, arguments, columns)
            )
        except peewee.IntegrityError:
            # The same form was sent twice at once.
            if earlier := _find_earlier(form_key, by):
                return earlier
            raise

    def approve(self, proposal_id: int, *, by: StaffAccount, now: Millis) -> str:
        """Execute a proposal, once; returns what was done, in one sentence.

        Raises NotPermitted, ConflictOfInterest, and Refusal for an unknown or a person's own proposal, one
        that is not open any more, and one of somebody who may not do this any more. What the action
        raises leaves the proposal open.
        """
        proposal, action = self._get(proposal_id, by=by)
        if proposal.proposed_by == by.name:
            raise Refusal("nobody approves their own proposal")
        arguments = arguments_of(proposal)
        with writing():
            _close(proposal, ProposalStatus.APPROVED, by=by, now=now)
            if not accounts.lock_and_check_permission(proposal.proposed_by, action.permission):
                raise Refusal("who proposed it may not do this any more: reject the proposal")
            self._check_conflicts(action, arguments, by.name, proposal.proposed_by, now=now)
            # Record before executing: the action may end the approver's session, and events of an ended
            # session are refused.
            _record(AuditEventType.PROPOSAL_APPROVED, proposal, now=now, reason=proposal.reason)
            return action.execute(arguments, reason=proposal.reason, now=now)

    def reject(self, proposal_id: int, *, reason: str, by: StaffAccount, now: Millis) -> None:
        """End another person's proposal without executing it. Raises what ``approve`` raises."""
        proposal, _ = self._get(proposal_id, by=by)
        if proposal.proposed_by == by.name:
            raise Refusal("withdraw your own proposal instead of rejecting it")
        with writing():
            _close(proposal, ProposalStatus.REJECTED, by=by, now=now, reason=reason)
            _record(AuditEventType.PROPOSAL_REJECTED, proposal, now=now, reason=reason)

    def may_decide(self, proposal: Proposal, by: StaffAccount) -> bool:
        """Whether this person may approve or reject it, if it is open."""
        action = self.actions.get(proposal.action)
        return action is not None and proposal.proposed_by != by.name and may(by.role, action.permission)

    def _perform(self, action: Action, arguments: Arguments, columns: dict[str, Any]) -> ActionResult | None:
        """Execute the action; None if a second person must approve it. Then the locks are released."""
        by, now = columns["proposed_by"], columns["proposed_at_ms"]
        with writing():
            self._check_conflicts(action, arguments, by, now=now)
            if self._four_eyes and action.needs_approval(arguments, by=by, now=now):
                return None
            message = action.execute(arguments, reason=columns["reason"], now=now)
            decision = {"status": ProposalStatus.PERFORMED, "decided_by": by, "decided_at_ms": now}
            return ActionResult(_insert(action, arguments, columns | decision), message)

    def _propose(self, action: Action, arguments: Arguments, columns: dict[str, Any]) -> ActionResult:
        """Store a proposal, after a rehearsal: nobody proposes what the rules refuse.

        The rehearsal has a transaction of its own, because all of it is rolled back.
        """
        if database.in_transaction():
            raise RuntimeError("a rehearsal must be able to roll back")
        reason, now = columns["reason"], columns["proposed_at_ms"]
        arguments, proposer_message = action.prepare_proposal(arguments)
        with suppress(_Rehearsed), writing():
            action.execute(arguments, reason=reason, now=now)
            raise _Rehearsed
        with writing():
            proposal = _insert(action, arguments, columns | {"status": ProposalStatus.OPEN})
            _record(AuditEventType.PROPOSAL_MADE, proposal, now=now, reason=reason)
        message = f"Proposed as number {proposal.id}. A second person must approve it"
        return ActionResult(proposal, f"{message}. {proposer_message}" if proposer_message else message)

    def _get(self, proposal_id: int, *, by: StaffAccount) -> tuple[Proposal, Action]:
        """The proposal, and its action. Raises NotPermitted, Refusal."""
        proposal = get(proposal_id)
        action = self.actions.get(proposal.action)
        if action is None:
            raise Refusal("this version does not know the action")
        _check_permission(by, action)
        return proposal, action

    def _check_conflicts(self, action: Action, arguments: Arguments, *names: str, now: Millis) -> None:
        """Raises ConflictOfInterest if one of these people must have no part in it."""
        for name in names if self._four_eyes else ():
            action.check_conflict(arguments, by=name, now=now)


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
    query = Proposal.select(*LISTED).where(_can_be_approved(now) if is_open else ~_can_be_approved(now))
    return counted_page(query, order=[Proposal.id.desc()], place=place)


@reading()
def open_count(*, now: Millis) -> int:
    """How many proposals wait for a second person."""
    return int(Proposal.select().where(_can_be_approved(now)).count())


@reading()
def open_of(*, action: str, now: Millis) -> list[Proposal]:
    """The proposals of this action that can be approved, oldest first."""
    query = Proposal.select().where(_can_be_approved(now), Proposal.action == action)
    return list(query.order_by(Proposal.id))


def arguments_of(proposal: Proposal) -> dict[str, Any]:
    """The arguments of its action."""
    arguments: dict[str, Any] = json.loads(proposal.arguments)
    return arguments


def withdraw(proposal_id: int, *, reason: str, by: StaffAccount, now: Millis) -> None:
    """End one's own proposal. Raises Refusal for an unknown one, and another person's."""
    proposal = get(proposal_id)
    if proposal.proposed_by != by.name:
        raise Refusal("only who made a proposal can withdraw it")
    with writing():
        _close(proposal, ProposalStatus.WITHDRAWN, by=by, now=now, reason=reason)
        _record(AuditEventType.PROPOSAL_WITHDRAWN, proposal, now=now, reason=reason)


def _can_be_approved(now: Millis) -> Any:
    is_recent = Proposal.proposed_at_ms > now - EXPIRES_AFTER_MS
    return (Proposal.status == ProposalStatus.OPEN) & is_recent


def _close(
    proposal: Proposal, status: ProposalStatus, *, by: StaffAccount, now: Millis, reason: str = ""
) -> None:
    """Let a proposal leave ``open``. Of concurrent calls one succeeds, others raise Refusal."""
    decision = {"status": status, "decided_by": by.name, "decided_at_ms": now, "decision_reason": reason}
    update = Proposal.update(decision).where(Proposal.id == proposal.id, _can_be_approved(now))
    if not update.execute():
        proposal = get(proposal.id)
        by_whom = f" by {proposal.decided_by}" if proposal.decided_by else ""
        raise Refusal(f"the proposal is {status_of(proposal, now=now)}{by_whom}, not open")


def _check_permission(by: StaffAccount, action: Action) -> None:
    """Raises NotPermitted."""
    if not may(by.role, action.permission):
        raise NotPermitted(action.permission)


def _insert(action: Action, arguments: Arguments, columns: dict[str, Any]) -> Proposal:
    proposal: Proposal = Proposal.create(
        action=action.name,
        arguments=json.dumps(arguments),
        description=action.describe(arguments)[:MAX_DESCRIPTION],
        user=action.find_user_id(arguments),
        amount_cents=action.find_amount(arguments),
        **columns,
    )
    return proposal


@reading()
def _find_earlier(form_key: str | None, by: StaffAccount) -> ActionResult | None:
    """The result of this person's form, if it was sent before. Raises Refusal for another person's form."""
    earlier: Proposal | None = Proposal.get_or_none(Proposal.form_key == form_key) if form_key else None
    if earlier is None:
        return None
    if earlier.proposed_by != by.name:
        raise Refusal("the form was made for another person")
    return ActionResult(earlier, "This form was sent before, and nothing was done again")


def _record(event: AuditEventType, proposal: Proposal, *, now: Millis, reason: str) -> None:
    """Record an event that names the proposer; the actor of the event is whoever does this."""
    user_id: int | None = proposal.user_id  # type: ignore[attr-defined]  # made by peewee
    after = {
        "proposal": proposal.id,
        "action": proposal.action,
        "proposedBy": f"staff:{proposal.proposed_by}",
        "reason": reason,
    }
    recording.record(event, now=now, user_id=user_id, after=after)
