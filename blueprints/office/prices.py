"""The sources of item prices: their age, their last error, and asking for new prices."""

from flask import render_template

from blueprints.office.access import require_permission
from blueprints.office.blueprint import office
from blueprints.office.forms import form_of, typed, typed_reason
from server.current_services import get_services
from services.staff import item_lists
from services.staff.permissions import Permission


@office.get("/prices")
@require_permission(Permission.CONTENT_SEE)
def prices() -> str:
    services = get_services()
    states = services.prices.states()
    return render_template(
        "office/prices.html",
        states=states,
        has_feed=any(state.name == "feed" for state in states),
        figures=item_lists.figures(),
        now=services.clock(),
    )


@office.post("/prices/refresh")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(prices)
def refresh_prices() -> str:
    services, accept_jumps = get_services(), typed("accept_jumps") == "yes"
    services.prices.refresh_soon(accept_jumps=accept_jumps, reason=typed_reason(), now=services.clock())
    return "The feed is asked for new prices within a few seconds. Load this page again to see the result"
