"""Audits all battles: recomputes each from its seed, its lock in the log, its beacon and its snapshots."""

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from cryptography.fernet import InvalidToken

from models.battles import Battle, BattleCase, BattleSeat, State
from models.bets import Bet
from models.log import LogEntry
from services.battles.outcomes import Outcome, outcome_of
from services.battles.rules import Draws, Rules
from services.bets import rolls
from services.bets.snapshots import Content
from services.bets.terms import LOST, WON
from services.log import entries, tree
from services.log.entries import LoggedSeat, Pseudonyms
from services.shared.encryption import Encrypter
from services.shared.errors import Refusal

BATTLES_A_QUERY = 500
SNAPSHOTS_IN_MEMORY = 1_000


class BattleFairness:
    """Recomputes battles. Seeds that are not published are decrypted here and shown nowhere."""

    def __init__(
        self, *, encrypter: Encrypter, pseudonyms: Pseudonyms, content_of: Callable[[int], Content]
    ) -> None:
        """``content_of`` returns the content of a snapshot, and raises Refusal if it is not intact."""
        self._encrypter = encrypter
        self._pseudonyms = pseudonyms
        self._content_of = lru_cache(SNAPSHOTS_IN_MEMORY)(content_of)

    def mismatches(self) -> Iterator[str]:
        """A line for each mismatch: ids only, never seeds. To be used within ``reading()``."""
        last = 0
        query = Battle.select().order_by(Battle.id).limit(BATTLES_A_QUERY)
        while battles := list(query.where(Battle.id > last)):
            for battle in battles:
                for problem in self._problems(battle):
                    yield f"battle {battle.id}: {problem}"
            last = battles[-1].id

    def _problems(self, battle: Any) -> Iterator[str]:
        seed = battle.server_seed
        if battle.state in (State.OPEN, State.LOCKED):
            seed = self._decrypted(battle)
        if seed is not None and rolls.commitment_of(seed) != battle.commitment:
            yield "the seed does not hash to its commitment"
        if battle.lock_entry_id is None:
            return
        seats = _seats(battle)
        lock = LogEntry.select(LogEntry.text).where(LogEntry.id == battle.lock_entry_id).scalar()
        if lock.encode() != self._lock_entry(battle, seats, chain=json.loads(lock)["beacon"]["chain"]):
            yield "the lock in the log is not that of the battle"
        if battle.end_entry_id is None:
            return
        end = LogEntry.select(LogEntry.text).where(LogEntry.id == battle.end_entry_id).scalar()
        if end.encode() != _end_entry(battle):
            yield "the end in the log is not that of the battle"
        if battle.state == State.SETTLED:
            yield from self._problems_of_outcome(battle, seats, lock)

    def _decrypted(self, battle: Any) -> str:
        """The seed; empty if no key decrypts it."""
        try:
            return self._encrypter.decrypt(battle.encrypted_server_seed)
        except InvalidToken:
            return ""

    def _problems_of_outcome(self, battle: Any, seats: list[Any], lock: str) -> Iterator[str]:
        signature = bytes.fromhex(battle.signature)
        if hashlib.sha256(signature).hexdigest() != battle.randomness:
            yield "the randomness is not that of the signature"
        try:
            contents = self._contents(battle)
        except Refusal:
            yield "a snapshot differs from its hash"
            return
        if sum(content.price_cents for content in contents) != battle.cost_cents:
            yield "the stored cost is wrong"
        draws = Draws(
            server_seed=battle.server_seed or "",
            lock_hash=tree.leaf_hash(lock.encode()).hex(),
            randomness=battle.randomness,
        )
        outcome = outcome_of(_rules(battle), contents, draws)
        if outcome != Outcome.from_json(battle.outcome):
            yield "the stored outcome is wrong"
        bots = [seat.seat for seat in seats if seat.user_id is None]
        if (battle.bot_seats, battle.bot_wins) != (len(bots), outcome.bot_wins(_rules(battle), bots)):
            yield "the stored sums of bots are wrong"
        for seat in seats:
            if seat.user_id is not None and not _is_bet_of(seat, battle, outcome, contents):
                yield f"the bet of seat {seat.seat} is wrong"

    def _contents(self, battle: Any) -> list[Content]:
        """The contents of the cases in the order in which a seat opens them. Raises Refusal."""
        contents = []
        for case in _cases(battle):
            content = self._content_of(case.snapshot_id)
            if content.hash != case.snapshot_hash:
                raise Refusal("the snapshot is another one")
            contents += [content] * case.count
        return contents

    def _lock_entry(self, battle: Any, seats: list[Any], *, chain: str) -> bytes:
        """The entry that the battle must have been locked with. ``chain`` is what it says itself."""
        teams = _rules(battle).team_of_seats
        return entries.battle_lock(
            at=battle.locked_at_ms,
            battle=battle.public_id,
            chain=chain,
            round_=battle.round,
            cases=[case.snapshot_hash for case in _cases(battle) for _ in range(case.count)],
            commitment=battle.commitment,
            crazy=battle.is_crazy,
            mode=battle.mode,
            players_only=battle.is_players_only,
            seats=[
                LoggedSeat(
                    client_seed=seat.client_seed,
                    player=None if seat.user_id is None else self._pseudonyms.of_user(seat.user_id),
                    team=teams[seat.seat],
                )
                for seat in seats
            ],
            terminal=battle.is_terminal,
        )


def _rules(battle: Any) -> Rules:
    return Rules(mode=battle.mode, teams=battle.teams, crazy=battle.is_crazy, terminal=battle.is_terminal)


def _cases(battle: Any) -> list[Any]:
    return list(BattleCase.select().where(BattleCase.battle == battle.id).order_by(BattleCase.position))


def _seats(battle: Any) -> list[Any]:
    is_taken = (BattleSeat.battle == battle.id) & BattleSeat.left_at_ms.is_null()
    query = BattleSeat.select(BattleSeat, Bet).join(Bet, "LEFT JOIN", on=(BattleSeat.bet == Bet.id))
    return list(query.where(is_taken).order_by(BattleSeat.seat))


def _end_entry(battle: Any) -> bytes:
    common = {"at": battle.ended_at_ms, "battle": battle.public_id, "lock": battle.lock_index}
    if battle.state == State.VOID:
        return entries.battle_void(**common, reason=battle.void_reason, seed=battle.server_seed or "")
    return entries.battle_end(**common, seed=battle.server_seed or "", signature=battle.signature)


def _is_bet_of(seat: Any, battle: Any, outcome: Outcome, contents: list[Content]) -> bool:
    """Whether the seat of a player has the bet that follows from the outcome."""
    if seat.bet is None:
        return False
    bet, payout = seat.bet, outcome.payouts_cents[seat.seat]
    drawn = [content.items[place] for content, place in zip(contents, outcome.places[seat.seat], strict=True)]
    expected = {
        "user_id": seat.user_id,
        "nonce": -seat.id,
        "ledger_transaction_id": battle.ledger_transaction_id,
        "wager_cents": battle.cost_cents,
        "payout_cents": payout,
        "status": WON if payout > battle.cost_cents else LOST,
        "item": max(drawn, key=lambda item: item.price_cents).name,
        "client_seed": seat.client_seed,
        "server_seed_commitment": battle.commitment,
        "server_seed": battle.server_seed,
        "counted_edge_ppm": battle.counted_edge_ppm,
        "created_at_ms": battle.ended_at_ms,
    }
    return all(getattr(bet, name) == value for name, value in expected.items())
