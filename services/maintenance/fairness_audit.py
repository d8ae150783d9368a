"""Audits all bets: recomputes each from its seeds, by its algorithm."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from peewee import fn

from models.bets import Bet
from models.db.connection import snapshot
from models.users import AnnouncedSeed
from services.fairness import rolls
from services.fairness.server_seeds import ServerSeeds
from services.games.bets import UPGRADER
from services.maintenance import spin_audit
from services.maintenance.opening_audit import OpeningAudit
from services.shared.money import NO_COINS, Cents

BETS_A_QUERY = 5_000


@dataclass
class FairnessAudit:
    """Sums over all bets, and a line for each mismatch (ids only, never seeds).

    Free openings are counted among the bets, but what they paid is not part of ``paid``.
    """

    bets: int = 0
    free_bets: int = 0
    wagered: Cents = NO_COINS
    paid: Cents = NO_COINS
    free_paid: Cents = NO_COINS
    mismatches: list[str] = field(default_factory=list)

    @property
    def return_to_player(self) -> float | None:
        """Payout for each coin wagered; None if nothing was wagered."""
        return self.paid / self.wagered if self.wagered else None

    def count(self, bet: Bet) -> None:
        self.bets += 1
        if bet.wager_cents:
            self.wagered = Cents(self.wagered + bet.wager_cents)
            self.paid = Cents(self.paid + bet.payout_cents)
        else:
            self.free_bets += 1
            self.free_paid = Cents(self.free_paid + bet.payout_cents)


def audit(
    *, seeds: ServerSeeds, progress: Callable[[int, int], None] = lambda _done, _of: None
) -> FairnessAudit:
    """Recompute every settled bet in one snapshot, while players may play.

    Seeds that are not revealed yet are decrypted here and shown nowhere. ``progress`` gets the number of bets
    checked so far and of all.
    """
    result, openings = FairnessAudit(), OpeningAudit()
    with snapshot():
        total = Bet.select().count()
        for bets in _in_chunks():
            for bet in bets:
                result.count(bet)
                problems = _problems(bet, seeds.of_bet(bet), openings)
                result.mismatches += [f"bet {bet.id}: {problem}" for problem in problems]
            progress(result.bets, total)
        result.mismatches += _nonce_problems()
    return result


def _in_chunks() -> Iterator[list[Bet]]:
    last = 0
    while bets := list(Bet.select().where(Bet.id > last).order_by(Bet.id).limit(BETS_A_QUERY)):
        yield bets
        last = bets[-1].id


def _problems(bet: Bet, server_seed: str, openings: OpeningAudit) -> Iterator[str]:
    if rolls.commitment_of(server_seed) != bet.server_seed_commitment:
        yield "the seed does not hash to its commitment"
    if bet.algorithm != f"{bet.game}-1":
        yield "the algorithm is not that of the game"
    elif bet.game == UPGRADER:
        yield from spin_audit.problems(bet, server_seed)
    else:
        yield from openings.problems(bet, server_seed)


def _nonce_problems() -> list[str]:
    """Players whose nonces are not 1, 2, … up to the one before the announced seed."""
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
