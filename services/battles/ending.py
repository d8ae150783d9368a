"""The end of a locked battle: settled by the beacon of its round, or void.

It follows from the log, the snapshots and the beacon alone. So any process may end a battle, whatever has
stopped, and the first one does.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from models.battles import Battle, BattleCase, BattleSeat, State, VoidReason
from models.db.connection import reading, writing
from models.log import LogEntry, let_wait, lock_log
from services.battles import queries, seat_bets, seats
from services.battles.outcomes import outcome_of
from services.battles.rules import Draws, Rules
from services.battles.seat_bets import SeatBet, SettledBattle
from services.beacon.relays import Beacon
from services.bets.snapshots import Content
from services.ledger import posting
from services.ledger.posting import Account, Entry, LedgerKind
from services.log import entries, tree
from services.shared.clock import CalendarPeriod, Millis
from services.shared.encryption import Encrypter
from services.shared.money import Cents


class Ending:
    """Ends battles."""

    def __init__(
        self,
        *,
        encrypter: Encrypter,
        changed: Callable[[int], None],
        add_figures: Callable[[SettledBattle, Sequence[tuple[Content, int]]], None],
        clock: Callable[[], Millis],
    ) -> None:
        """``changed`` is called with the internal id of a battle after the commit of any end.

        ``add_figures`` is called as the last part of the transaction that settles a battle, with its cases
        and how often a seat opens each.
        """
        self._encrypter = encrypter
        self._changed = changed
        self._add_figures = add_figures
        self._clock = clock
        self.on_bets: list[Callable[[Sequence[int]], None]] = []
        """Called with the ids of the bets of a battle that was settled here, after the commit."""

    def settle(self, battle_id: int, beacon: Beacon) -> bool:
        """Settle a locked battle whose lock was in time; False if there is nothing to do.

        ``beacon`` is a verified one of its round.
        """
        return any(self.settle_locked(locked, beacon) for locked in read_locked([battle_id]))

    def settle_locked(self, locked: "Locked", beacon: Beacon) -> bool:
        """See ``settle``."""
        # Whatever may wait for another greenlet comes before the transaction.
        contents = queries.contents_of(locked.cases)
        with writing():
            battle = seats.lock_battle_unless_held(locked.id)
            if battle is None or not _is_due(battle, beacon):
                return False
            bet_ids = self._settle(battle, locked, contents, beacon)
        self._changed(locked.id)
        for tell in self.on_bets:
            tell(bet_ids)
        return True

    def _settle(
        self, battle: Battle, locked: "Locked", contents: Sequence[Content], beacon: Beacon
    ) -> list[int]:
        seed = self._encrypter.decrypt(battle.encrypted_server_seed)
        rules, draws = _rules(battle), _draws(locked.lock_text, seed, beacon.randomness)
        outcome = outcome_of(rules, contents, draws)
        bots = sorted(set(range(len(outcome.places))) - {seat for seat, _ in locked.players})
        won = [
            SeatBet(
                user_id=user_id,
                item=_dearest(contents, outcome.places[seat]),
                payout=Cents(outcome.payouts_cents[seat]),
            )
            for seat, user_id in locked.players
        ]
        # The ids of a player's transactions are in the order of the changes.
        seat_bets.lock_players(won)
        now = self._clock()
        escrow = battle.cost_cents * len(outcome.places)
        shares = [Entry(Account.BALANCE, bet.user_id, bet.payout) for bet in won]
        rest = Entry(Account.HOUSE_BETS, None, escrow - sum(share.amount for share in shares))
        transaction_id = posting.write(
            kind=LedgerKind.BATTLE_END,
            entries=[Entry(Account.HOUSE_BATTLES, None, -escrow), *shares, rest],
            now=now,
        )
        bet_ids = seat_bets.write(battle, won, server_seed=seed, transaction_id=transaction_id, now=now)
        lock_log()
        entry = entries.battle_end(
            at=now,
            battle=battle.public_id,
            lock=battle.lock_index,  # type: ignore[arg-type]  # the battle is due
            seed=seed,
            signature=beacon.signature,
        )
        seats.change(
            battle,
            state=State.SETTLED,
            ended_at_ms=now,
            server_seed=seed,
            signature=beacon.signature,
            randomness=beacon.randomness,
            end_entry=let_wait(entry.decode()),
            outcome=outcome.to_json(),
            bot_seats=len(bots),
            bot_wins=outcome.bot_wins(rules, bots),
            ledger_transaction=transaction_id,
        )
        seat_bets.count(battle, won)
        settled = SettledBattle(
            id=battle.id,
            day=CalendarPeriod.DAY.start(now),
            players=len(won),
            bots=len(bots),
            wagered=Cents(battle.cost_cents * len(won)),
            paid=Cents(sum(bet.payout for bet in won)),
        )
        opened = [(queries.content_of(case.snapshot_hash), int(case.count)) for case in locked.cases]
        self._add_figures(settled, opened)
        return bet_ids

    def void(self, battle_id: int, reason: VoidReason, *, record: Callable[[], None] | None = None) -> bool:
        """Refund a locked battle and publish its seed; False if there is nothing to do.

        The caller has made sure of the reason. ``record`` is called in the transaction.
        """
        with writing():
            battle = seats.lock_battle(Battle.id == battle_id)
            is_due = {
                VoidReason.LATE: battle.is_lock_in_time is False and not battle.is_restored,
                VoidReason.BEACON: battle.is_lock_in_time is True,
                VoidReason.RESTORE: battle.is_restored,
            }[reason]
            if battle.state != State.LOCKED or battle.lock_index is None or not is_due:
                return False
            now = self._clock()
            seed = self._encrypter.decrypt(battle.encrypted_server_seed)
            seats.refund_all(battle, now=now)
            lock_log()
            entry = entries.battle_void(
                at=now, battle=battle.public_id, lock=battle.lock_index, reason=reason, seed=seed
            )
            seats.change(
                battle,
                state=State.VOID,
                ended_at_ms=now,
                server_seed=seed,
                void_reason=reason,
                end_entry=let_wait(entry.decode()),
            )
            if record is not None:
                record()
        self._changed(battle_id)
        return True


def _is_due(battle: Battle, beacon: Beacon) -> bool:
    """Whether a battle can be settled now by this beacon."""
    # The entry of the end has the index of the lock.
    is_locked = battle.state == State.LOCKED and battle.lock_index is not None
    return is_locked and battle.is_lock_in_time is True and beacon.round == battle.round


class Locked(NamedTuple):
    """What does not change any more in a locked battle."""

    id: int
    lock_text: str
    """The entry of the lock."""
    cases: list[BattleCase]
    players: list[tuple[int, int]]
    """The seat and the id of each player, in the order of the ids."""


@reading()
def read_locked(battle_ids: Sequence[int]) -> list[Locked]:
    """Those of these battles that are locked or were, in the order of their ids."""
    row: Any = Battle
    texts = row.select(row.id, LogEntry.text).join(LogEntry, on=(Battle.lock_entry == LogEntry.id))
    of_these = BattleSeat.battle.in_(battle_ids) & BattleSeat.left_at_ms.is_null()
    cases, players = defaultdict(list), defaultdict(list)
    for case in BattleCase.select().where(BattleCase.battle.in_(battle_ids)).order_by(BattleCase.position):
        cases[case.battle_id].append(case)
    taken: Any = BattleSeat.select(BattleSeat.battle, BattleSeat.seat, BattleSeat.user)
    is_player = BattleSeat.user.is_null(False)
    for battle_id, seat, user_id in taken.where(of_these, is_player).order_by(BattleSeat.user).tuples():
        players[battle_id].append((seat, user_id))
    return [
        Locked(battle_id, text, cases[battle_id], players[battle_id])
        for battle_id, text in texts.where(Battle.id.in_(battle_ids)).order_by(Battle.id).tuples()
    ]


def draws_of(battle: Battle, server_seed: str, randomness: str) -> Draws:
    """The random numbers of a locked battle with this randomness of the beacon. Within ``reading()``."""
    text = LogEntry.select(LogEntry.text).where(LogEntry.id == battle.lock_entry_id).scalar()
    return _draws(text, server_seed, randomness)


def _draws(lock_text: str, server_seed: str, randomness: str) -> Draws:
    lock_hash = tree.leaf_hash(lock_text.encode()).hex()
    return Draws(server_seed=server_seed, lock_hash=lock_hash, randomness=randomness)


def _rules(battle: Battle) -> Rules:
    return Rules(mode=battle.mode, teams=battle.teams, crazy=battle.is_crazy, terminal=battle.is_terminal)


def _dearest(contents: Sequence[Content], places: Sequence[int]) -> str:
    """The name of the dearest item that a seat drew, the first of several."""
    drawn = [content.items[place] for content, place in zip(contents, places, strict=True)]
    return max(drawn, key=lambda item: item.price_cents).name
