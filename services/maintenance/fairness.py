"""Audits all bets and battles: recomputes each from its seeds, by its algorithm. Sums them by day."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from peewee import fn

from models.announced_seeds import AnnouncedSeed
from models.battles import BATTLE
from models.bets import Bet
from models.db.connection import repeatable_read
from models.rewards import Reward
from services.bets import rolls, snapshots
from services.bets.seeds import ServerSeeds
from services.bets.snapshots import Content
from services.bets.terms import LOST, UPGRADER, WON
from services.figures.battle_figures import figures_of_battles
from services.figures.bet_figures import PAID_BETS, BetFigures, grouped
from services.maintenance.battle_fairness import BattleFairness
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import NO_COINS, Cents

BETS_A_QUERY = 5_000
SNAPSHOTS_IN_MEMORY = 1_000


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
    """Recompute every settled bet and every battle in one transaction, while players may play.

    Seeds that are not revealed yet are decrypted here and shown nowhere. ``progress`` gets the number of bets
    checked so far and of all.
    """
    result, content_of = FairnessAudit(), lru_cache(SNAPSHOTS_IN_MEMORY)(intact_content)
    with repeatable_read():
        total = Bet.select().count()
        for bets in _in_chunks():
            free = _free_among(bets)
            for bet in bets:
                result.count(bet)
                problems = _problems(bet, seeds.of_bet(bet), content_of, is_free=bet.id in free)
                result.mismatches += [f"bet {bet.id}: {problem}" for problem in problems]
            progress(result.bets, total)
        result.mismatches += _nonce_problems()
        battles = BattleFairness(
            encrypter=seeds.encrypter, pseudonyms=seeds.bet_log.pseudonyms, content_of=intact_content
        )
        result.mismatches += battles.mismatches()
    return result


def intact_content(snapshot_id: int) -> Content:
    """The content of a stored snapshot. Raises Refusal if its hash is that of another content."""
    try:
        return snapshots.stored(snapshot_id)
    except ValueError as invalid:
        raise Refusal(str(invalid)) from None


def _in_chunks() -> Iterator[list[Bet]]:
    last = 0
    while bets := list(Bet.select().where(Bet.id > last).order_by(Bet.id).limit(BETS_A_QUERY)):
        yield bets
        last = bets[-1].id


def _free_among(bets: list[Bet]) -> set[int]:
    """The ids of those of these bets, in their order, that have used a reward."""
    used: Any = Reward.select(Reward.bet).where(Reward.bet.between(bets[0].id, bets[-1].id))
    return {bet_id for (bet_id,) in used.tuples()}


def _problems(
    bet: Bet, server_seed: str, content_of: Callable[[int], Content], *, is_free: bool
) -> Iterator[str]:
    if rolls.commitment_of(server_seed) != bet.server_seed_commitment:
        yield "the seed does not hash to its commitment"
    if bet.algorithm != f"{bet.game}-1":
        yield "the algorithm is not that of the game"
    elif bet.game == BATTLE:
        # It is recomputed with its battle.
        return
    elif bet.game == UPGRADER:
        yield from _problems_of_spin(bet, server_seed)
    else:
        yield from _problems_of_opening(bet, server_seed, content_of, is_free=is_free)


def _problems_of_spin(bet: Bet, server_seed: str) -> Iterator[str]:
    roll = rolls.roll(server_seed=server_seed, client_seed=bet.client_seed, nonce=bet.nonce)
    if roll != bet.roll:
        yield "the stored roll is wrong"
    threshold = rolls.threshold(
        wager_cents=bet.wager_cents, price_cents=bet.price_cents or 0, house_edge_ppm=bet.house_edge_ppm or 0
    )
    if threshold != bet.threshold:
        yield "the stored threshold is wrong"
    is_won = roll < threshold
    yield from _wrong_outcome(bet, payout_cents=(bet.price_cents or 0) if is_won else 0, is_won=is_won)


def _problems_of_opening(
    bet: Bet, server_seed: str, content_of: Callable[[int], Content], *, is_free: bool
) -> Iterator[str]:
    ticket = rolls.ticket(
        game=bet.game, server_seed=server_seed, client_seed=bet.client_seed, nonce=bet.nonce
    )
    if ticket != bet.ticket:
        yield "the stored ticket is wrong"
    try:
        content = content_of(bet.snapshot_id)  # type: ignore[attr-defined]  # made by peewee
    except Refusal:
        yield "the snapshot differs from its hash"
        return
    item = content.winner(ticket)
    wager_cents = 0 if is_free else content.price_cents
    if bet.item != item.name:
        yield "the stored item is wrong"
    if bet.wager_cents != wager_cents:
        yield "the stored wager is wrong"
    yield from _wrong_outcome(bet, payout_cents=item.price_cents, is_won=item.price_cents > wager_cents)


def _wrong_outcome(bet: Bet, *, payout_cents: int, is_won: bool) -> Iterator[str]:
    if bet.status != (WON if is_won else LOST):
        yield "the stored status is wrong"
    if bet.payout_cents != payout_cents:
        yield "the stored payout is wrong"


def _nonce_problems() -> list[str]:
    """Players whose nonces are not 1, 2, … up to the one before the announced seed."""
    nonces = (
        Bet.select(Bet.user, fn.COUNT(Bet.id).alias("bets"), fn.MAX(Bet.nonce).alias("highest"))
        .where(Bet.nonce > 0)
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


def figures_of_days() -> dict[Millis, BetFigures]:
    """Sum the bets with a wager of each day in UTC, by its beginning, in one pass over their table.

    It does not read the daily figures, so that it shows what the bets say themselves. Days without bets and
    free openings are left out. Raises Refusal if the snapshot of an opening differs from its
    hash.
    """
    content_of = cache(intact_content)
    days: dict[Millis, BetFigures] = {}
    with repeatable_read():
        for group in grouped(PAID_BETS):
            days[group.day] = days.get(group.day, BetFigures()) + group.sums(content_of)
        for day, figures in figures_of_battles(content_of):
            days[day] = days.get(day, BetFigures()) + figures
    return dict(sorted(days.items()))
