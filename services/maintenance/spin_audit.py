"""Audits spins of the upgrader: recomputes each from its seeds and its stored price and edge."""

from collections.abc import Iterator

from models.bets import Bet
from services.fairness import rolls
from services.games.play import LOST, WON
from services.upgrader.spin import ROUND


def problems(bet: Bet, server_seed: str) -> Iterator[str]:
    """A text for each problem of a bet of ``upgrader-1``."""
    roll = rolls.roll(server_seed=server_seed, client_seed=bet.client_seed, nonce=bet.nonce, round_=ROUND)
    if roll != bet.roll:
        yield "the stored roll is wrong"
    threshold = rolls.threshold(
        wager_cents=bet.wager_cents, price_cents=bet.price_cents or 0, house_edge_ppm=bet.house_edge_ppm or 0
    )
    if threshold != bet.threshold:
        yield "the stored threshold is wrong"
    won = roll < threshold
    if bet.status != (WON if won else LOST):
        yield "the stored status is wrong"
    if bet.payout_cents != (bet.price_cents if won else 0):
        yield "the stored payout is wrong"
