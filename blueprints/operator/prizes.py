"""flask prizes: list the prizes, and mark those that were sent, or can't be delivered."""

import click

from blueprints.api.cli import OperatorGroup, fail_on_problems, in_camel_case, print_json
from blueprints.prizes.schemas import PrizeSchema
from server.current_services import get_services
from services.wallet import prizes
from services.wallet.prizes import ALL, Status

STATUSES = [ALL, *(status.value for status in Status)]

group = OperatorGroup("prizes", help="Ship the real-life items that players have won.")

PRIZE = PrizeSchema()


@group.command("list")
@click.option("--status", type=click.Choice(STATUSES), default=ALL, help="Only prizes with this status.")
def list_prizes(status: str) -> None:
    """Print all players' prizes, one JSON line each, oldest first.

    A prize that is to be shipped, or was, comes with its address. Exits with 1 if an address cannot be
    decrypted with any key.
    """
    unreadable = []
    for prize, address in get_services().shipping.listed(status=status):
        player = {"platformid": prize.user.platform_id, "username": prize.user.username}
        print_json(PRIZE.dump(prize) | player | {"address": address and in_camel_case(address)})
        if prize.encrypted_address and not address:
            unreadable.append(f"prize {prize.id}: no key opens its address")
    fail_on_problems(unreadable, "cannot be decrypted with any key: see SECRET_KEY_PREVIOUS")


prize_argument = click.argument("prize_id", metavar="PRIZE", type=click.IntRange(min=1, max=2**63 - 1))


@group.command("ship")
@prize_argument
@click.option("--tracking", default="", help="How the player can follow the parcel.")
def ship(prize_id: int, tracking: str) -> None:
    """Mark a prize as shipped, after its player has asked for that, and notify the player."""
    now = get_services().clock()
    print_json(PRIZE.dump(prizes.mark_shipped(prize_id=prize_id, tracking=tracking, now=now)))


@group.command("return")
@prize_argument
@click.option("--reason", required=True, help="Why, for the audit trail.")
def return_prize(prize_id: int, reason: str) -> None:
    """Give a prize back to its player that can't be delivered, shipped or not yet, and notify the player."""
    now = get_services().clock()
    print_json(PRIZE.dump(prizes.mark_returned(prize_id=prize_id, reason=reason, now=now)))
