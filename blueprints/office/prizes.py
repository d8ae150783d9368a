"""Prizes: the queue of those to ship, and the address of one."""

from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import needs
from blueprints.office.blueprint import office
from blueprints.office.lists import listed, place
from blueprints.office.results import attempt
from server.current_services import get_services
from services.prizes import shipping
from services.prizes.prizes import Status
from services.shared.text_validation import LEAST_OF_STAFF, checked_reason
from services.staff import personal_data
from services.staff.permissions import Permission


@office.get("/prizes")
@needs(Permission.PRIZES_SEE)
def prizes() -> str:
    return _prizes()


def _prizes(
    *, shown: int | None = None, address: Any = None, sent: int | None = None, refusal: str | None = None
) -> str:
    given = request.args.get("status", "")
    status = Status(given) if given in list(Status) else Status.SHIPPING
    found = shipping.to_ship(place=place(), status=status)
    return render_template(
        "office/prizes.html",
        listed=listed(found),
        status=status,
        statuses=list(Status),
        shown=shown,
        address=address,
        sent=sent,
        refusal=refusal,
    )


@office.post("/prizes/<int:prize_id>/address")
@needs(Permission.PERSONAL_DETAILS_SEE)
def prize_address(prize_id: int) -> str:
    """The queue, with the address of one prize."""
    services = get_services()
    address = personal_data.address_of_prize(services.shipping, prize_id=prize_id, now=services.clock())
    return _prizes(shown=prize_id, address=address)


@office.post("/prizes/<int:prize_id>/ship")
@needs(Permission.PRIZES_SHIP)
def ship_prize(prize_id: int) -> Any:
    services = get_services()

    def work() -> str:
        reason = checked_reason(request.form.get("reason", ""), least=LEAST_OF_STAFF)
        shipping.mark_shipped(
            prize_id=prize_id,
            tracking=request.form.get("tracking", ""),
            reason=reason,
            now=services.clock(),
        )
        return "The prize is marked as shipped, and the player was notified"

    return attempt(
        work,
        to=url_for("office.prizes"),
        again=lambda refusal: _prizes(sent=prize_id, refusal=refusal),
    )
