"""Proposals: what waits for a second person, and what was decided or done."""

from typing import Any

from flask import render_template, request

from blueprints.office.access import current_staff, require_fresh_code, require_permission
from blueprints.office.addresses import listed, place, wants_csv
from blueprints.office.blueprint import office
from blueprints.office.csv_files import Columns, list_file
from blueprints.office.forms import form_of, typed_reason
from server.current_services import get_services
from services.shared.errors import Refusal
from services.shared.imports import Preview
from services.staff import proposals as proposals_service
from services.staff.permissions import Permission
from services.staff.proposals import ProposalStatus

ACTIONS: Columns = {
    "number": "id",
    "what": "description",
    "amount": "amount_cents",
    "reason": "reason",
    "by": "proposed_by",
    "time": "proposed_at_ms",
    "status": lambda row: str(status_of(row)),
    "decided by": "decided_by",
}


@office.get("/proposals")
@require_permission(Permission.PROPOSALS_SEE)
def proposals() -> Any:
    is_open = request.args.get("show") != "decided"
    found = proposals_service.page(is_open=is_open, place=place(), now=get_services().clock())
    if wants_csv():
        return list_file("proposals" if is_open else "actions", ACTIONS, found.rows)
    return render_template(
        "office/proposals.html", listed=listed(found), is_open=is_open, status_of=status_of
    )


def status_of(proposal: Any) -> ProposalStatus:
    """The status of a proposal now."""
    return proposals_service.status_of(proposal, now=get_services().clock())


@office.get("/proposals/<row_id:proposal_id>")
@require_permission(Permission.PROPOSALS_SEE)
def proposal(proposal_id: int) -> str:
    found = proposals_service.get(proposal_id)
    return render_template(
        "office/proposal.html",
        proposal=found,
        player=proposals_service.player_of(found),
        status=status_of(found),
        arguments=proposals_service.arguments_of(found),
        preview=_preview_of(found),
        may_decide=get_services().proposals.may_decide(found, current_staff()),
        is_own=found.proposed_by == current_staff().name,
    )


def _preview_of(found: Any) -> Preview | None:
    """What an import that is proposed would change now; its errors say why it can't be imported."""
    services = get_services()
    action = services.proposals.actions.get(found.action)
    if action is None or status_of(found) != ProposalStatus.OPEN:
        return None
    try:
        return action.preview(proposals_service.arguments_of(found), now=services.clock())
    except Refusal as refusal:
        return Preview([], [str(refusal)], [])


@office.post("/proposals/<row_id:proposal_id>/approve")
@require_permission(Permission.PROPOSALS_SEE)
@require_fresh_code
@form_of(proposal)
def approve_proposal(proposal_id: int) -> str:
    """The permission of the action is checked with the proposal."""
    services = get_services()
    return services.proposals.approve(proposal_id, by=current_staff(), now=services.clock())


@office.post("/proposals/<row_id:proposal_id>/reject")
@require_permission(Permission.PROPOSALS_SEE)
@form_of(proposal)
def reject_proposal(proposal_id: int) -> str:
    services, reason = get_services(), typed_reason()
    services.proposals.reject(proposal_id, reason=reason, by=current_staff(), now=services.clock())
    return "The proposal was rejected"


@office.post("/proposals/<row_id:proposal_id>/withdraw")
@require_permission(Permission.PROPOSALS_SEE)
@form_of(proposal)
def withdraw_proposal(proposal_id: int) -> str:
    now = get_services().clock()
    proposals_service.withdraw(proposal_id, reason=typed_reason(), by=current_staff(), now=now)
    return "The proposal was withdrawn"
