"""Lookups of settled bets."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from peewee import JOIN, fn

from models.battles import Battle, BattleSeat
from models.bets import Bet
from models.cases import Snapshot
from models.db.connection import reading
from models.users import User
from services.bets import snapshots
from services.bets.proofs import Proofs
from services.bets.snapshots import Content
from services.log import published
from services.log.file import File
from services.log.published import LogPlace
from services.shared.clock import Millis
from services.shared.errors import Refusal

MAX_NONCE = 2**63 - 1


class RevealedBets(NamedTuple):
    """Bets in the order of the log.

    Each has its player, its revealed seed, and as ``log`` its place.
    """

    bets: list[Any]
    contents: dict[int, Content]
    """Of the cases that were opened, by the ids of their snapshots."""
    is_final: bool
    """Whether no bet will be added."""


class BetNotFound(Refusal):
    status = 404
    text = "Bet not found"


class BetNotRevealed(BetNotFound):
    """There is such a bet, and its proof is not due."""


@reading()
def get(*, user_id: int, nonce: int, game: str) -> Bet:
    """The player's own bet with this nonce, of this game. Raises BetNotFound."""
    own = (Bet.user == user_id) & (Bet.nonce == nonce) & (Bet.game == game)
    bet = Bet.get_or_none(own) if nonce <= MAX_NONCE else None
    if bet is None:
        raise BetNotFound
    _add_battles([bet])
    return bet


def get_public(*, bet_id: int, proofs: Proofs, now: Millis) -> Any:
    """Any player's bet with its ``battle``, its ``log``, and as ``content`` that of the case that was opened.

    ``battle`` and ``content`` are None for bets of other games. The place in the log of a bet of a battle is
    that of the battle's end. Raises BetNotFound, and BetNotRevealed until its proof is due.
    """
    bet = _get_due(bet_id, proofs, now)
    if bet.battle:
        bet.log = published.place_of_entry(bet.battle.end_entry_id, bet_log=proofs.bet_log)
    else:
        bet.log = published.place_of_bet(bet.id, bet_log=proofs.bet_log)
    bet.content = _contents([bet]).get(bet.snapshot_id)
    return bet


def get_log_proof(*, bet_id: int, proofs: Proofs, now: Millis) -> str:
    """The proof file of any player's bet. Raises BetNotFound: see ``get_public``."""
    bet = _get_due(bet_id, proofs, now)
    if bet.battle:
        return published.proof_of_entry(bet.battle.end_entry_id, bet_log=proofs.bet_log)
    return published.proof_of_bet(bet.id, bet_log=proofs.bet_log)


def revealed(*, number: str, file: File, proofs: Proofs, now: Millis) -> RevealedBets:
    """The bets in a bundle of the log whose proofs are due. Raises NotPublished."""
    with published.state_with(file):
        found, is_full = published.indexes_in_bundle(number, file=file)
        indexes = {reference: index for reference, index in found.items() if reference > 0}
        bets = _with_players(list(indexes))
        contents = _contents(bets)
    for bet in bets:
        bet.log = LogPlace(file.checkpoint.origin, indexes[bet.id])
        bet.server_seed = proofs.visible_server_seed(bet, now=now, is_logged=True)
    due = sorted((bet for bet in bets if bet.server_seed), key=lambda bet: bet.log.index)
    # Battles are settled before their ends are appended.
    return RevealedBets(due, contents, is_final=is_full and len(due) == len(indexes))


def _get_due(bet_id: int, proofs: Proofs, now: Millis) -> Any:
    with reading():
        bet = next(iter(_with_players([bet_id])), None)
    if bet is None:
        raise BetNotFound
    # Not saved: the delivery of proofs writes revealed seeds to the database.
    bet.server_seed = proofs.visible_server_seed(bet, now=now)
    if not bet.server_seed:
        raise BetNotRevealed
    return bet


def _with_players(bet_ids: Sequence[int]) -> list[Any]:
    """These bets, with the names of their players, the hashes of their snapshots, and their battles."""
    bets = list(
        Bet.select(Bet, User.username, User.is_anonymous, Snapshot.id, Snapshot.hash)
        .join(User)
        .switch(Bet)
        .join(Snapshot, JOIN.LEFT_OUTER)
        .where(Bet.id.in_(bet_ids))
    )
    _add_battles(bets)
    return bets


def _add_battles(bets: Iterable[Any]) -> None:
    """Give each bet its ``battle`` and ``seat``; None for those of other games. Within ``reading()``."""
    bets = list(bets)
    seats = [-bet.nonce for bet in bets if bet.nonce < 0]
    query = BattleSeat.select(BattleSeat, Battle).join(Battle).where(BattleSeat.id.in_(seats))
    found = {-seat.id: seat for seat in query} if seats else {}
    for bet in bets:
        seat = found.get(bet.nonce)
        bet.battle, bet.seat = (seat.battle, seat.seat) if seat else (None, None)


@reading()
def _contents(bets: Sequence[Any]) -> dict[int, Content]:
    """The contents of the cases that were opened, by the ids of their snapshots."""
    ids = {bet.snapshot_id for bet in bets} - {None}
    if not ids:
        return {}
    found: Any = Snapshot.select(Snapshot.id, Snapshot.content).where(Snapshot.id.in_(list(ids)))
    return {snapshot_id: snapshots.parse(text) for snapshot_id, text in found.tuples()}


def multiplier_hundredths(bet: Any) -> int:
    """Payout / wager, rounded down to hundredths; 0 for a lost spin and a free opening."""
    return int(bet.payout_cents * 100 // bet.wager_cents) if bet.wager_cents else 0


@reading()
def played(user_id: int) -> int:
    """How many bets the player has made, without battles: the newest nonce.

    Nonces count from 1 without a gap.
    """
    return Bet.select(fn.MAX(Bet.nonce)).where(Bet.user == user_id, Bet.nonce > 0).scalar() or 0


@reading()
def with_nonces(*, user_id: int, nonces: Sequence[int]) -> list[Bet]:
    """The player's bets with these nonces, in their order, each with its ``battle``.

    The nonce of a bet of a battle is minus the id of its seat.
    """
    if not nonces:
        return []
    found = {bet.nonce: bet for bet in Bet.select().where(Bet.user == user_id, Bet.nonce.in_(list(nonces)))}
    _add_battles(found.values())
    return [found[nonce] for nonce in nonces if nonce in found]
