"""/sweepstake: conversion of USD to sweepstake balance."""

from typing import Any

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.sweepstake.schemas import DepositQuery, ValueSchema
from server.current_services import get_services
from services.shared.money import Cents, number_from_cents
from services.wallet import sweepstake

blueprint = ApiBlueprint(
    "sweepstake", __name__, url_prefix="/sweepstake", description="Conversion of USD to sweepstake balance"
)


@blueprint.get("/value")
@public
@blueprint.response(200, ValueSchema)
def get_sweepstake_rate() -> dict[str, int | float]:
    """Sweepstake balance per USD."""
    rate = sweepstake.rate(get_services().settings.sweepstake_rate)
    return {"value": rate.numerator if rate.denominator == 1 else float(rate)}


@blueprint.get("/calc-deposit")
@public
@blueprint.arguments(DepositQuery, location="query")
@blueprint.response(200, ValueSchema)
def calculate_deposit(query: dict[str, Any]) -> dict[str, int | float]:
    """The sweepstake balance for a deposit, rounded down to the cent."""
    credited = sweepstake.balance_for(
        usd=Cents(query["amount"]), setting=get_services().settings.sweepstake_rate
    )
    return {"value": number_from_cents(credited)}
