"""Openings of cases with one item, which is always won."""

import itertools
from typing import Any

from flask import Flask

from models.db.connection import writing
from models.irl_cases import IrlCase, IrlItem
from services.cases import importing
from services.fairness.tickets import TICKET_RANGE
from services.openings.opening import OpeningRequest
from tests.support.apps import import_item

_numbers = itertools.count(1)


def put_case(
    app: Flask, *, value: float = 25, name: str = "Kettle", image: str = "", price: float = 5
) -> str:
    """Add a case of one real-life item; amounts are in coins. Returns its id."""
    slug = f"case-{next(_numbers)}"
    now = app.extensions["services"].clock()
    # An import would refuse a case whose item is worth more than its price.
    with writing():
        case = IrlCase.create(slug=slug, name=slug, price_cents=round(price * 100), created_at_ms=now)
        IrlItem.create(
            case=case,
            position=0,
            name=name,
            image=image,
            price_cents=round(value * 100),
            chance_attos=TICKET_RANGE,
        )
    return slug


def win_prize(app: Flask, player, **case: Any) -> int:
    """The player opens such a case; the id of the prize."""
    services = app.extensions["services"]
    request = OpeningRequest(event="irl:open", case=put_case(app, **case))
    return services.irl_openings.play(user_id=player.id, request=request, clock=services.clock).prize_id


def open_worthless_free_case(app: Flask, player) -> None:
    """The player, who uses a promo code, opens the free case, whose only item is worth nothing."""
    services = app.extensions["services"]
    items = [{"marketHashName": import_item(price=0), "percentage": 100}]
    importing.import_cases([{"name": "Free", "kind": "free", "items": items}], now=services.clock())
    request = OpeningRequest(event="case:open", case="free-case")
    services.case_openings.play(user_id=player.id, request=request, clock=services.clock)
