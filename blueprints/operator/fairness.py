"""flask fairness: recompute all bets, or one bet."""

from typing import Any, TextIO

import click
from marshmallow import ValidationError

from blueprints.api.cli import (
    OperatorGroup,
    amount,
    fail_on_problems,
    item_price,
    print_json,
    progress_bar,
)
from server.current_services import get_services
from services.accounts.users import is_client_seed
from services.bets import rolls, snapshots
from services.bets.lookups import MAX_NONCE
from services.bets.terms import OF_ONE_PLAYER, UPGRADER
from services.figures.bet_figures import BetFigures
from services.maintenance import fairness
from services.shared.clock import iso_date
from services.shared.errors import Refusal
from services.shared.money import Cents, number_from_cents
from services.shared.text import camel_case
from setting_parsers import FRACTION

group = OperatorGroup("fairness", help="Verify that rolls are fair.")


def house_edge_ppm(text: str) -> int:
    """A parameter type: a fraction from 0 and below 1. The command gets millionths."""
    try:
        return FRACTION(text)
    except ValidationError as error:
        raise click.BadParameter(str(error.messages[0])) from None


@group.command("audit")
def audit() -> None:
    """Recompute every settled bet.

    Uses the seeds, and the price and house edge or the snapshot, that are stored with the bet. Exits with 1
    on any mismatch.
    """
    with progress_bar(length=1, label="bets") as bar:

        def progress(done: int, of: int) -> None:
            bar.length = of
            bar.update(done - bar.pos)

        result = fairness.audit(seeds=get_services().seeds, progress=progress)
    print_json(
        {
            "bets": result.bets,
            "freeBets": result.free_bets,
            "mismatches": len(result.mismatches),
            "wagered": number_from_cents(result.wagered),
            "paid": number_from_cents(result.paid),
            "freePaid": number_from_cents(result.free_paid),
            "returnToPlayer": result.return_to_player,
        }
    )
    fail_on_problems(result.mismatches)


@group.command("report")
def report() -> None:
    """Sum all bets, and compare what they paid with what their chances promise.

    Free openings are left out.
    """
    figures_of_days = fairness.figures_of_days()
    days = [{"day": iso_date(begin), **_sums(sums)} for begin, sums in figures_of_days.items()]
    print_json({**_sums(sum(figures_of_days.values(), start=BetFigures())), "days": days})


def _sums(sums: BetFigures) -> dict[str, Any]:
    ratios = ("return_to_player", "expected_return", "standard_error", "deviations")
    return {
        "bets": sums.bets,
        "wagered": number_from_cents(sums.wagered),
        "paid": number_from_cents(sums.paid),
        **{camel_case(name): getattr(sums, name) if sums.bets else None for name in ratios},
    }


@group.command("verify")
@click.option("--game", type=click.Choice(OF_ONE_PLAYER), default=UPGRADER, show_default=True)
@click.option("--server-seed", required=True, help="The revealed seed of the server.")
@click.option("--client-seed", required=True, help="The seed of the player.")
@click.option("--nonce", required=True, type=click.IntRange(1, MAX_NONCE), help="The number of the bet.")
@click.option("--amount", type=amount, help="The wager of a spin.")
@click.option("--price", type=item_price, help="The price of the item: 12.40 or '$12.40'.")
@click.option("--house-edge", type=house_edge_ppm, help="The house edge; by default the setting.")
@click.option(
    "--snapshot",
    type=click.File(encoding="utf-8"),
    help="The snapshot of the case that was opened, as GET /snapshots/HASH gives it.",
)
def verify(
    game: str,
    server_seed: str,
    client_seed: str,
    nonce: int,
    amount: Cents | None,
    price: Cents | None,
    house_edge: int | None,
    snapshot: TextIO | None,
) -> None:
    """Recompute one bet, without the database.

    A spin with an amount and a price: also prints whether it won. An opening of a case: prints its ticket
    and what it won.
    """
    if not is_client_seed(client_seed):
        raise Refusal("a client seed has 4 to 64 letters, digits, dashes and underscores")
    if not rolls.SERVER_SEED.fullmatch(server_seed):
        raise Refusal("a server seed has 64 hexadecimal digits, 0-9 and a-f")
    commitment = {"serverSeedCommitment": rolls.commitment_of(server_seed)}
    if game != UPGRADER:
        if snapshot is None or not (amount is price is house_edge is None):
            raise Refusal(f"--game {game} takes --snapshot, and no amount, price or house edge")
        ticket = rolls.ticket(game=game, server_seed=server_seed, client_seed=client_seed, nonce=nonce)
        print_json(commitment | _won(ticket, snapshot))
        return
    if snapshot is not None or (amount is None) != (price is None):
        raise Refusal("--amount and --price must be given together, and --snapshot with --game only")
    roll = rolls.roll(server_seed=server_seed, client_seed=client_seed, nonce=nonce)
    answer: dict[str, Any] = {"roll": roll, "percent": rolls.percent(roll)}
    if amount is not None and price is not None:
        if house_edge is None:
            house_edge = get_services().settings.upgrader_house_edge_ppm
        answer |= _outcome(roll, amount, price, house_edge)
    print_json(commitment | answer)


def _won(ticket: int, snapshot: TextIO) -> dict[str, Any]:
    """The item that this ticket won in the case of this snapshot."""
    try:
        # An editor may have added the line end.
        content = snapshots.parse(snapshot.read().rstrip("\r\n"))
    except (ValueError, OSError):
        raise Refusal("--snapshot must be a file with the canonical JSON of a case") from None
    item = content.winner(ticket)
    return {
        "ticket": str(ticket),
        "percent": rolls.ticket_percent(ticket),
        "snapshot": content.hash,
        "item": item.name,
        "amount": number_from_cents(item.price_cents),
    }


def _outcome(roll: int, amount: Cents, price: Cents, house_edge: int) -> dict[str, Any]:
    if not 0 < amount < price:
        raise Refusal("the amount must be above 0 and below the price")
    threshold = rolls.threshold(wager_cents=amount, price_cents=price, house_edge_ppm=house_edge)
    return {
        "houseEdge": house_edge / rolls.PPM,
        "threshold": threshold,
        "chance": rolls.percent(threshold),
        "win": roll < threshold,
    }
