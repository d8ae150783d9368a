"""The sources of item prices: their age, their last error, and asking for new prices."""

from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import needs
from blueprints.office.blueprint import office
from blueprints.office.results import attempt
from server.current_services import get_services
from services.shared.text import LEAST_OF_STAFF, checked_reason
from services.staff import item_lists
from services.staff.permissions import Permission


@office.get("/prices")
@needs(Permission.CONTENT_SEE)
def prices() -> str:
    return _prices()


def _prices(*, refusal: str | None = None) -> str:
    services = get_services()
    states = services.prices.states()
    return render_template(
        "office/prices.html",
        states=states,
        has_feed=any(state.name == "feed" for state in states),
        figures=item_lists.figures(),
        now=services.clock(),
        refusal=refusal,
    )


@office.post("/prices/refresh")
@needs(Permission.CONTENT_CHANGE)
def refresh_prices() -> Any:
    services = get_services()

    def work() -> str:
        services.prices.refresh_soon(
            accept_jumps=request.form.get("accept_jumps") == "yes",
            reason=checked_reason(request.form.get("reason", ""), least=LEAST_OF_STAFF),
            now=services.clock(),
        )
        return "The feed is asked for new prices within a few seconds. Load this page again to see the result"

    return attempt(work, to=url_for("office.prices"), again=lambda refusal: _prices(refusal=refusal))
