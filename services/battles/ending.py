"""The end of a locked battle: settled by the beacon of its round, or void.

It follows from the log, the snapshots and the beacon alone. So any process may end a battle, whatever has
stopped, and the first one does.
"""

from collections.abc import Callable, Sequence

from models.battles import Battle, BattleCase, State, VoidReason
from models.db.connection import writing
from models.log import LogEntry, let_wait, lock_log
from services.accounts import users
from services.battles import queries, seat_bets, seats
from services.battles.outcomes import outcome_of
from services.battles.rules import Draws, Rules
from services.battles.seat_bets import SeatBet
from services.beacon.relays import Beacon
from services.bets.snapshots import Content
from services.ledger import posting
from services.ledger.posting import Account, Entry, LedgerKind
from services.log import entries, tree
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.money import Cents


class Ending:
    """Ends battles."""

    def __init__(
        self,
        *,
        encrypter: Encrypter,
        changed: Callable[[int], None],
        add_figures: Callable[[int], None],
        clock: Callable[[], Millis],
    ) -> None:
        """Both functions get the internal id of a battle.

        ``changed`` is called after the commit of any end, ``add_figures`` as the last part of the transaction
        that settles a battle.
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
        with writing():
            battle = seats.lock_battle(Battle.id == battle_id)
            is_due = battle.is_lock_in_time and beacon.round == battle.round
            # The entry of the end has the index of the lock.
            if battle.state != State.LOCKED or battle.lock_index is None or not is_due:
                return False
            bet_ids = self._settle(battle, battle.lock_index, beacon)
        self._changed(battle_id)
        for tell in self.on_bets:
            tell(bet_ids)
        return True

    def _settle(self, battle: Battle, lock_index: int, beacon: Beacon) -> list[int]:
        seed = self._encrypter.decrypt(battle.encrypted_server_seed)
        contents = _contents(battle)
        rules, taken = _rules(battle), seats.taken_seats(battle)
        outcome = outcome_of(rules, contents, draws_of(battle, seed, beacon.randomness))
        bots = [seat.seat for seat in taken if seat.user_id is None]
        won = [
            SeatBet(
                seat_id=seat.id,
                user_id=seat.user_id,
                client_seed=seat.client_seed,
                item=_dearest(contents, outcome.places[seat.seat]),
                payout=Cents(outcome.payouts_cents[seat.seat]),
            )
            for seat in taken
            if seat.user_id is not None
        ]
        # The ids of a player's transactions are in the order of the changes.
        for bet in won:
            users.lock(bet.user_id)
        now = self._clock()
        escrow = battle.cost_cents * len(taken)
        shares = [Entry(Account.BALANCE, bet.user_id, bet.payout) for bet in won]
        rest = Entry(Account.HOUSE_BETS, None, escrow - sum(share.amount for share in shares))
        transaction_id = posting.write(
            kind=LedgerKind.BATTLE_END,
            entries=[Entry(Account.HOUSE_BATTLES, None, -escrow), *shares, rest],
            now=now,
        )
        written = seat_bets.write(battle, won, server_seed=seed, transaction_id=transaction_id, now=now)
        lock_log()
        entry = entries.battle_end(
            at=now, battle=battle.public_id, lock=lock_index, seed=seed, signature=beacon.signature
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
        self._add_figures(battle.id)
        return [bet.id for bet in written.values()]

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


def draws_of(battle: Battle, server_seed: str, randomness: str) -> Draws:
    """The random numbers of a locked battle with this randomness of the beacon. Within ``reading()``."""
    text = LogEntry.select(LogEntry.text).where(LogEntry.id == battle.lock_entry_id).scalar()
    lock_hash = tree.leaf_hash(text.encode()).hex()
    return Draws(server_seed=server_seed, lock_hash=lock_hash, randomness=randomness)


def _rules(battle: Battle) -> Rules:
    return Rules(mode=battle.mode, teams=battle.teams, crazy=battle.is_crazy, terminal=battle.is_terminal)


def _contents(battle: Battle) -> list[Content]:
    held = BattleCase.select().where(BattleCase.battle == battle.id).order_by(BattleCase.position)
    return queries.contents_of(held)


def _dearest(contents: Sequence[Content], places: Sequence[int]) -> str:
    """The name of the dearest item that a seat drew, the first of several."""
    drawn = [content.items[place] for content, place in zip(contents, places, strict=True)]
    return max(drawn, key=lambda item: item.price_cents).name
