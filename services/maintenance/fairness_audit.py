"""Audits all bets: recomputes each from its seeds and its stored price and edge."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from peewee import fn

from models.bets import Bet
from models.db.connection import snapshot
from models.users import AnnouncedSeed
from services.fairness import rolls
from services.fairness.server_seeds import ServerSeeds
from services.games.play import LOST, WON
from services.shared.money import NO_COINS, Cents
from services.upgrader.spin import ROUND

BETS_A_QUERY = 5_000


@dataclass
class FairnessAudit:
    """Sums over all bets, and a line for each mismatch (ids only, never seeds)."""

    bets: int = 0
    wagered: Cents = NO_COINS
    paid: Cents = NO_COINS
    mismatches: list[str] = field(default_factory=list)

    @property
    def return_to_player(self) -> float | None:
        """Payout for each coin wagered; None without bets."""
        return self.paid / self.wagered if self.wagered else None


def audit(
    *, seeds: ServerSeeds, progress: Callable[[int, int], None] = lambda _done, _of: None
) -> FairnessAudit:
    """Recompute every settled bet in one snapshot, while players may play.

    Seeds that are not revealed yet are decrypted here and shown nowhere. ``progress`` gets the number of bets
    checked so far and of all.
    """
    result = FairnessAudit()
    with snapshot():
        total = Bet.select().count()
        for bets in _in_chunks():
            for bet in bets:
                result.bets += 1
                result.wagered = Cents(result.wagered + bet.wager_cents)
                result.paid = Cents(result.paid + bet.payout_cents)
                result.mismatches += [f"bet {bet.id}: {problem}" for problem in _problems(bet, seeds)]
            progress(result.bets, total)
        result.mismatches += _nonce_problems()
    return result


def _in_chunks() -> Iterator[list[Bet]]:
    last = 0
    while bets := list(Bet.select().where(Bet.id > last).order_by(Bet.id).limit(BETS_A_QUERY)):
        yield bets
        last = bets[-1].id


def _problems(bet: Bet, seeds: ServerSeeds) -> Iterator[str]:
    server_seed = seeds.of_bet(bet)
    if rolls.commitment_of(server_seed) != bet.server_seed_commitment:
        yield "the seed does not hash to its commitment"
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


def _nonce_problems() -> list[str]:
    """Players whose nonces are not 1, 2, … up to the one before the announced spin."""
    nonces = (
        Bet.select(Bet.user, fn.COUNT(Bet.id).alias("bets"), fn.MAX(Bet.nonce).alias("highest"))
        .group_by(Bet.user)
        .alias("nonces")
    )
    query = (
        AnnouncedSeed.select(AnnouncedSeed.user)
        .join(nonces, "LEFT JOIN", on=(nonces.c.user_id == AnnouncedSeed.user))
        .where(
            (fn.COALESCE(nonces.c.bets, 0) != AnnouncedSeed.nonce - 1)
            | (fn.COALESCE(nonces.c.highest, 0) != AnnouncedSeed.nonce - 1)
        )
    )
    return [f"user {user_id}: the nonces have a gap" for user_id in query.scalars()]
