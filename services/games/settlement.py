"""Settles a spin: posts it to the ledger and writes the bet and its totals, in one transaction.

On SQLite, under group commit. On PostgreSQL one statement writes the same rows (models/spin_settlement.py).
"""

from collections.abc import Callable

from models import seed_marks
from models.bets import Bet
from models.db.connection import Sqlite, database
from models.db.group_commit import GroupCommit
from models.db.prepared_query import PreparedQuery
from models.spin_settlement import PARAMETERS, Settled, Settlement, SpinTimes, Unsettled, settle_at_once
from models.users import AnnouncedSeed, User
from services.ledger import posting, totals
from services.ledger.posting import Account, Entry, Kind
from services.shared.clock import Millis
from services.shared.errors import InsufficientBalance
from services.shared.money import Cents

_group_commit = GroupCommit()


class SeedUsed(Exception):
    """Another spin, perhaps of another process, has used the seed."""


def settle(settlement: Settlement, *, times: Callable[[], SpinTimes]) -> Settled:
    """Write the spin, all or nothing.

    ``times`` is called after the wait for a connection or for the write lock. Raises SeedUsed,
    InsufficientBalance, and peewee.IntegrityError if the request id has a bet already.
    """
    if isinstance(database.obj, Sqlite):
        return _group_commit.run(lambda: settle_in_steps(settlement, times()))
    settled = settle_at_once(settlement, times)
    if settled is Unsettled.SEED_IS_USED:
        raise SeedUsed
    if settled is Unsettled.BALANCE_TOO_LOW:
        raise InsufficientBalance
    return settled


def settle_in_steps(settlement: Settlement, times: SpinTimes) -> Settled:
    """Write the spin as part of the transaction that is open. Raises what ``settle`` raises."""
    values = vars(settlement) | vars(times)
    if not _REPLACE_SEED.execute(values).rowcount:
        raise SeedUsed
    transaction_id = posting.post(
        kind=Kind.SPIN, entries=_entries(settlement), now=Millis(times.created_at_ms)
    )
    (bet_id,) = _INSERT_BET.execute(values | {"ledger_transaction": transaction_id}).fetchone()
    totals.add_bet(settlement, times)
    return Settled(times, bet_id, *_ADD_TOTALS.execute(values).fetchone())


def bet_of(settlement: Settlement, settled: Settled) -> Bet:
    """The bet that was written, without a query."""
    values = vars(settlement) | vars(settled.times)
    return Bet(id=settled.bet_id, **{field.name: values[field.column_name] for field in _BET_FIELDS})


def _entries(settlement: Settlement) -> list[Entry]:
    """The wager to the house and, for a bet that was won, the payout to the player."""
    wager, payout = Cents(settlement.wager_cents), Cents(settlement.payout_cents)
    user_id = settlement.user_id
    entries = [Entry(Account.BALANCE, Cents(-wager), user_id), Entry(Account.HOUSE_BETS, wager)]
    if payout:
        entries += [Entry(Account.HOUSE_BETS, Cents(-payout)), Entry(Account.BALANCE, payout, user_id)]
    return entries


_BET_FIELDS = [
    field
    for field in Bet._meta.sorted_fields  # noqa: SLF001  # peewee's own way
    if field.column_name in PARAMETERS
]
"""The columns whose values are in Settlement and SpinTimes."""

# No row is updated when another spin has used the seed, or the database may have gone back in time.
_REPLACE_SEED = PreparedQuery(
    lambda value: AnnouncedSeed.update(
        nonce=AnnouncedSeed.nonce + 1,
        server_seed_commitment=value("next_commitment"),
        sealed_server_seed=value("next_sealed_server_seed"),
    ).where(
        AnnouncedSeed.user == value("user_id"),
        AnnouncedSeed.nonce == value("nonce"),
        AnnouncedSeed.server_seed_commitment == value("server_seed_commitment"),
        # In a restored database the announced seed may have been revealed already: models/seed_marks.py.
        AnnouncedSeed.epoch == seed_marks.current_epoch(),
        seed_marks.contains(value("mark_number"), value("mark_token")),
    )
)
_INSERT_BET = PreparedQuery(
    lambda value: Bet.insert(
        ledger_transaction=value("ledger_transaction"),
        **{field.name: value(field.column_name) for field in _BET_FIELDS},
    ).returning(Bet.id)
)
_ADD_TOTALS = PreparedQuery(
    lambda value: (
        User.update(
            wagered_cents=User.wagered_cents + value("wager_cents"),
            earned_cents=User.earned_cents + value("payout_cents"),
        )
        .where(User.id == value("user_id"))
        .returning(User.balance_cents, User.vault_cents, User.sweepstake_cents)
    )
)
