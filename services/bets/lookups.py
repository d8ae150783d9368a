"""Lookups of settled bets."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from peewee import JOIN, fn

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
    return bet


def get_public(*, bet_id: int, proofs: Proofs, now: Millis) -> Any:
    """Any player's bet, with its ``log``, and as ``content`` that of the case that was opened, or None.

    Raises BetNotFound, and BetNotRevealed until its proof is due.
    """
    bet = _get_due(bet_id, proofs, now)
    bet.log = published.place_of_bet(bet.id, bet_log=proofs.bet_log)
    bet.content = _contents([bet]).get(bet.snapshot_id)
    return bet


def get_log_proof(*, bet_id: int, proofs: Proofs, now: Millis) -> str:
    """The proof file of any player's bet. Raises BetNotFound: see ``get_public``."""
    bet = _get_due(bet_id, proofs, now)
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
    """These bets, with the names of their players and the hashes of their snapshots."""
    return list(
        Bet.select(Bet, User.username, Snapshot.id, Snapshot.hash)
        .join(User)
        .switch(Bet)
        .join(Snapshot, JOIN.LEFT_OUTER)
        .where(Bet.id.in_(bet_ids))
    )


@reading()
def _contents(bets: Sequence[Any]) -> dict[int, Content]:
    """The contents of the cases that were opened, by the ids of their snapshots."""
    ids = {bet.snapshot_id for bet in bets} - {None}
    if not ids:
        return {}
    found: Any = Snapshot.select(Snapshot.id, Snapshot.content).where(Snapshot.id.in_(list(ids)))
    return {snapshot_id: snapshots.parse(text) for snapshot_id, text in found.tuples()}


def multiplier_hundredths(bet: Any) -> int:
    """Payout / wager, rounded down to hundredths; 0 for a lost spin and an opening of the free case."""
    return int(bet.payout_cents * 100 // bet.wager_cents) if bet.wager_cents else 0


@reading()
def played(user_id: int) -> int:
    """How many bets the player has made: the newest nonce, since nonces count from 1 without a gap."""
    return Bet.select(fn.MAX(Bet.nonce)).where(Bet.user == user_id).scalar() or 0


@reading()
def with_nonces(*, user_id: int, nonces: Sequence[int]) -> list[Bet]:
    """The player's bets with these nonces, in their order."""
    if not nonces:
        return []
    found = {bet.nonce: bet for bet in Bet.select().where(Bet.user == user_id, Bet.nonce.in_(list(nonces)))}
    return [found[nonce] for nonce in nonces if nonce in found]
