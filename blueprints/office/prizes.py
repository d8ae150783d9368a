"""Prizes: the queue of those to ship, and the address of one."""

import re
from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import needs
from blueprints.office.blueprint import office
from blueprints.office.lists import listed, place
from blueprints.office.masking import check_may_see
from blueprints.office.results import attempt
from server.current_services import get_services
from services.shared.text import LEAST_OF_STAFF, checked_reason
from services.staff import personal_data
from services.staff.permissions import Permission
from services.wallet.prizes import shipping
from services.wallet.prizes.prizes import Status
from services.wallet.prizes.shipping import Address

ID = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


@office.get("/prizes")
@needs(Permission.PRIZES_SEE)
def prizes() -> str:
    """``?address=17`` shows the address of prize 17."""
    asked = request.args.get("address", "")
    return _prizes(shown=int(asked) if ID.fullmatch(asked) else None)


def _prizes(
    *,
    shown: int | None = None,
    sent: int | None = None,
    returned: int | None = None,
    refusal: str | None = None,
) -> str:
    given = request.args.get("status", "")
    status = Status(given) if given in list(Status) else Status.SHIPPING
    return render_template(
        "office/prizes.html",
        listed=listed(shipping.to_ship(place=place(), status=status)),
        status=status,
        statuses=list(Status),
        shown=shown,
        address=None if shown is None else _address(shown),
        sent=sent,
        returned=returned,
        refusal=refusal,
    )


def _address(prize_id: int) -> Address | None:
    check_may_see()
    services = get_services()
    return personal_data.address_of_prize(services.shipping, prize_id=prize_id, now=services.clock())


@office.post("/prizes/<row_id:prize_id>/ship")
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


@office.post("/prizes/<row_id:prize_id>/return")
@needs(Permission.PRIZES_SHIP)
def return_prize(prize_id: int) -> Any:
    services = get_services()

    def work() -> str:
        reason = checked_reason(request.form.get("reason", ""), least=LEAST_OF_STAFF)
        shipping.mark_returned(prize_id=prize_id, reason=reason, now=services.clock())
        return "The player has the prize again, and was notified"

    return attempt(
        work,
        to=url_for("office.prizes"),
        again=lambda refusal: _prizes(returned=prize_id, refusal=refusal),
    )
