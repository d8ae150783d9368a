"""/profile/close: what is in the way of closing an account, and closing it."""

from typing import Any

import marshmallow as ma

from blueprints.api.auth import current_user, require_profile, require_two_factor_for
from blueprints.api.blueprint import ApiBlueprint
from blueprints.profile.schemas import StrictBoolean
from server.current_services import get_services
from server.realtime.realtime import current_realtime
from server.schemas import Coins, SuccessSchema, WireSchema, count, documented
from services.closing import obstacles

blueprint = ApiBlueprint("closing", __name__, url_prefix="/profile", description="Closing an account")


class CloseSchema(WireSchema):
    """Whether what is left is given up."""

    forfeit = StrictBoolean(
        load_default=False,
        metadata=documented(
            "Sell prizes, give seats in battles and unpaid deposits up, and leave all coins to the house",
            True,
        ),
    )


class GivenUpSchema(WireSchema):
    """What `forfeit` gives up."""

    balance = Coins("What the player can wager", 12.5, attribute="balance_cents")
    vault = Coins("What the vault holds", 0, attribute="vault_cents")
    sweepstake = Coins("Sweepstake balance", 0, attribute="sweepstake_cents")
    commission = Coins("What the promo code has earned and was not claimed", 0, attribute="commission_cents")
    prizes = count("How many prizes are kept; they are sold", 1)
    battles = count("How many open battles the player has a seat in", 0)
    deposits = count("How many deposits wait for money; they are cancelled", 0)


class MustEndSchema(WireSchema):
    """What must end before the account can be closed."""

    battles = count("How many battles have begun", 0)
    withdrawals = count("How many withdrawals are not paid yet", 0)
    deposits = count("How many deposits are being paid, or in review", 0)
    prizes = count("How many prizes are to be shipped", 0)


class ObstaclesSchema(WireSchema):
    """What is in the way of closing."""

    given_up = ma.fields.Nested(GivenUpSchema, required=True)
    must_end = ma.fields.Nested(MustEndSchema, required=True)


class ObstaclesAnswerSchema(SuccessSchema):
    """What is in the way of closing the caller's account."""

    data = ma.fields.Nested(ObstaclesSchema, required=True)


@blueprint.get("/close")
@require_profile
@blueprint.response(200, ObstaclesAnswerSchema)
def get_obstacles() -> dict[str, Any]:
    """What closing the caller's account would give up, and what must end before that."""
    found = obstacles.of_player(current_user().id)
    given_up = {
        **vars(found),
        "prizes": len(found.prizes),
        "battles": len(found.open_battles),
        "deposits": len(found.open_deposits),
    }
    must_end = {
        "battles": found.running_battles,
        "withdrawals": found.withdrawals,
        "deposits": found.paid_deposits,
        "prizes": found.shipping_prizes,
    }
    return {"success": True, "data": {"given_up": given_up, "must_end": must_end}}


@blueprint.post("/close")
@require_profile
@require_two_factor_for("trade-url")
@blueprint.arguments(CloseSchema, required=False)
@blueprint.response(200, SuccessSchema)
def close_account(body: dict[str, Any]) -> dict[str, Any]:
    """Close the caller's account. No token is valid any more, and no login gives one.

    Refused while the account holds anything, unless `forfeit` gives that up; and while something is under way
    that nobody can end at once. A player on a break may close it as well, and stays excluded.
    """
    user_id = current_user().id
    number = get_services().closing.close(user_id=user_id, forfeit=body["forfeit"])
    current_realtime().make_spectators(user_id, before=number)
    return {"success": True}
