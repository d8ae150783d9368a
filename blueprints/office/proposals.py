"""Proposals: what waits for a second person, and what was decided or done."""

from collections.abc import Callable
from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import current_staff, needs, needs_fresh_code
from blueprints.office.blueprint import office
from blueprints.office.lists import listed, place
from blueprints.office.results import attempt
from server.current_services import get_services
from services.shared.errors import Refusal
from services.shared.imports import Preview
from services.staff import proposals as service
from services.staff.permissions import Permission
from services.staff.proposals import ProposalStatus


@office.get("/proposals")
@needs(Permission.PROPOSALS_SEE)
def proposals() -> str:
    services = get_services()
    is_open = request.args.get("show") != "decided"
    found = service.page(is_open=is_open, place=place(), now=services.clock())
    return render_template(
        "office/proposals.html",
        listed=listed(found),
        is_open=is_open,
        status_of=_status_of,
    )


def _status_of(proposal: Any) -> str:
    return service.status_of(proposal, now=get_services().clock())


@office.get("/proposals/<row_id:proposal_id>")
@needs(Permission.PROPOSALS_SEE)
def proposal(proposal_id: int) -> str:
    return _shown(proposal_id)


def _shown(proposal_id: int, *, sent: str = "", refusal: str | None = None) -> str:
    services, found = get_services(), service.get(proposal_id)
    return render_template(
        "office/proposal.html",
        proposal=found,
        player=service.player_of(found),
        status=_status_of(found),
        arguments=service.arguments_of(found),
        preview=_preview_of(found),
        may_decide=services.proposals.may_decide(found, current_staff()),
        is_own=found.proposed_by == current_staff().name,
        sent=sent,
        refusal=refusal,
    )


def _preview_of(found: Any) -> Any:
    """What an import that is proposed would change now: a Preview, or why it can't be imported."""
    services = get_services()
    action = services.proposals.actions.get(found.action)
    if action is None or _status_of(found) != ProposalStatus.OPEN:
        return None
    try:
        return action.preview(service.arguments_of(found), now=services.clock())
    except Refusal as refusal:
        return Preview([], [str(refusal)], [])


@office.post("/proposals/<row_id:proposal_id>/approve")
@needs(Permission.PROPOSALS_SEE)
@needs_fresh_code
def approve_proposal(proposal_id: int) -> Any:
    """The permission of the action is checked with the proposal."""
    services = get_services()
    return _decide(
        proposal_id,
        "approve",
        lambda: services.proposals.approve(proposal_id, by=current_staff(), now=services.clock()),
    )


@office.post("/proposals/<row_id:proposal_id>/reject")
@needs(Permission.PROPOSALS_SEE)
def reject_proposal(proposal_id: int) -> Any:
    services, reason = get_services(), request.form.get("reason", "")

    def work() -> str:
        services.proposals.reject(proposal_id, reason=reason, by=current_staff(), now=services.clock())
        return "The proposal was rejected"

    return _decide(proposal_id, "reject", work)


@office.post("/proposals/<row_id:proposal_id>/withdraw")
@needs(Permission.PROPOSALS_SEE)
def withdraw_proposal(proposal_id: int) -> Any:
    services, reason = get_services(), request.form.get("reason", "")

    def work() -> str:
        services.proposals.withdraw(proposal_id, reason=reason, by=current_staff(), now=services.clock())
        return "The proposal was withdrawn"

    return _decide(proposal_id, "withdraw", work)


def _decide(proposal_id: int, form: str, work: Callable[[], str]) -> Any:
    return attempt(
        work,
        to=url_for("office.proposal", proposal_id=proposal_id),
        again=lambda refusal: _shown(proposal_id, sent=form, refusal=refusal),
    )
