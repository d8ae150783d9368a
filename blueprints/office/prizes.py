"""Prizes: the queue of those to ship, and the address of one."""

import re
from typing import Any

from flask import render_template, request

from blueprints.office.access import check_may_see, require_permission
from blueprints.office.addresses import chosen, listed, place, wants_csv
from blueprints.office.blueprint import office
from blueprints.office.csv_files import list_file
from blueprints.office.forms import form_of, typed, typed_reason
from server.current_services import get_services
from services.staff import personal_data
from services.staff.permissions import Permission
from services.wallet import prizes as prizes_service
from services.wallet.prizes import Address, Status

ID = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


PRIZES = {
    "id": "id",
    "prize": "name",
    "player": "user.username",
    "platform id": "user.platform_id",
    "value": "value_cents",
    "won": "won_at_ms",
    "tracking": "tracking",
}


@office.get("/prizes")
@require_permission(Permission.PRIZES_SEE)
def prizes() -> Any:
    """``?address=17`` shows the address of prize 17."""
    asked = request.args.get("address", "")
    shown = int(asked) if ID.fullmatch(asked) else None
    status = chosen("status", Status) or Status.SHIPPING
    found = prizes_service.to_ship(place=place(), status=status)
    if wants_csv():
        return list_file(f"prizes-{status}", PRIZES, found.rows)
    return render_template(
        "office/prizes.html",
        listed=listed(found),
        status=status,
        statuses=list(Status),
        shown=shown,
        address=None if shown is None else _address(shown),
    )


def _address(prize_id: int) -> Address | None:
    check_may_see()
    services = get_services()
    return personal_data.address_of_prize(services.shipping, prize_id=prize_id, now=services.clock())


@office.post("/prizes/<row_id:prize_id>/ship")
@require_permission(Permission.PRIZES_SHIP)
@form_of(prizes)
def ship_prize(prize_id: int) -> str:
    reason, now = typed_reason(), get_services().clock()
    prizes_service.mark_shipped(prize_id=prize_id, tracking=typed("tracking"), reason=reason, now=now)
    return "The prize is marked as shipped, and the player was notified"


@office.post("/prizes/<row_id:prize_id>/return")
@require_permission(Permission.PRIZES_SHIP)
@form_of(prizes)
def return_prize(prize_id: int) -> str:
    prizes_service.mark_returned(prize_id=prize_id, reason=typed_reason(), now=get_services().clock())
    return "The player has the prize again, and was notified"
