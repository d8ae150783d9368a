"""flask fairness: recompute the rolls of all bets, or one roll."""

from typing import Any

import click

from blueprints.api.cli import OperatorGroup, amount, fail_on_problems, print_json, progress_bar
from server.current_services import get_services
from services.fairness import rolls
from services.maintenance import fairness_audit
from services.shared.errors import OperatorError
from services.shared.money import Cents, number_from_cents

group = OperatorGroup("fairness", help="Verify that rolls are fair.")


@group.command("audit")
def audit() -> None:
    """Recompute every settled bet.

    Uses the seeds, the price and the house edge that are stored with the bet. Exits with 1 on any mismatch.
    """
    with progress_bar(length=1, label="bets") as bar:

        def progress(done: int, of: int) -> None:
            bar.length = of
            bar.update(done - bar.pos)

        result = fairness_audit.audit(seeds=get_services().seeds, progress=progress)
    print_json(
        {
            "bets": result.bets,
            "mismatches": len(result.mismatches),
            "wagered": number_from_cents(result.wagered),
            "paid": number_from_cents(result.paid),
            "returnToPlayer": result.return_to_player,
        }
    )
    fail_on_problems(result.mismatches)


@group.command("verify")
@click.option("--server-seed", required=True)
@click.option("--client-seed", required=True)
@click.option("--nonce", required=True, type=click.IntRange(min=1))
@click.option("--amount", type=amount, help="The wager.")
@click.option("--price", type=amount, help="The price of the item.")
def verify(server_seed: str, client_seed: str, nonce: int, amount: Cents | None, price: Cents | None) -> None:
    """Recompute one roll, without the database.

    With an amount and a price, also prints whether it won.
    """
    if not rolls.is_client_seed(client_seed):
        raise OperatorError("a client seed has 4 to 64 letters, digits, dashes and underscores")
    if not server_seed.isascii():
        raise OperatorError("a server seed is ASCII text")
    if (amount is None) != (price is None):
        raise OperatorError("--amount and --price go together")
    roll = rolls.roll(server_seed=server_seed, client_seed=client_seed, nonce=nonce)
    answer: dict[str, Any] = {
        "serverSeedCommitment": rolls.commitment_of(server_seed),
        "roll": roll,
        "percent": rolls.percent(roll),
    }
    if amount is not None and price is not None:
        answer |= _outcome(roll, amount, price)
    print_json(answer)


def _outcome(roll: int, amount: Cents, price: Cents) -> dict[str, Any]:
    if not 0 < amount < price:
        raise OperatorError("the amount must be above 0 and below the price")
    house_edge_ppm = get_services().settings.upgrader_house_edge_ppm
    threshold = rolls.threshold(wager_cents=amount, price_cents=price, house_edge_ppm=house_edge_ppm)
    return {
        "houseEdge": house_edge_ppm / rolls.PPM,
        "threshold": threshold,
        "chance": rolls.percent(threshold),
        "win": roll < threshold,
    }
