"""An audit of what the ledger has got since the last one.

``flask ledger audit`` reads everything. This reads each transaction once, some minutes after it was made, and
compares the balances of all players together with the sums of their entries.
"""

from typing import Any

from peewee import fn

from models.db.connection import reading, repeatable_read
from models.ledger import LedgerEntry
from models.users import User
from services.alarms import raised
from services.alarms.raised import Concern, Found
from services.ledger.audit import Ids, transaction_mismatches
from services.ledger.posting import PLAYERS_ACCOUNTS, Account, last_id_before
from services.shared.background import in_slices
from services.shared.clock import Millis
from settings import Settings

LAST = "last transaction"
SUMS = {account: f"sum of {account}" for account in PLAYERS_ACCOUNTS}
"""Of the entries up to the last transaction."""

SLICE = 5_000
"""Transactions in one statement."""

SLICES_AT_ONCE = 100
"""In one check. There are more only at the first one."""


def find_transactions(_settings: Settings, now: Millis) -> Found:
    """The transactions since the last check that do not sum to zero, or differ from their bet or payment."""
    with reading():
        last, end = raised.progress(LAST) or 0, last_id_before(now)
        sums = {account: raised.progress(name) or 0 for account, name in SUMS.items()}
    concerns: list[Concern] = []
    starts = range(last, end, SLICE)
    for start in in_slices(starts[:SLICES_AT_ONCE], 1):
        last = min(start + SLICE, end)
        ids = Ids(start + 1, last)
        with repeatable_read():
            concerns += (Concern(line, f"Ledger: {line}") for line in transaction_mismatches(ids))
            for account, cents in _sums(ids):
                sums[account] += cents
    progress = {LAST: last} | {name: sums[account] for account, name in SUMS.items()}
    return Found(concerns, progress, is_complete=len(starts) <= SLICES_AT_ONCE)


def find_balances(_settings: Settings, now: Millis) -> Found:
    """The accounts in which all players together have other coins than their entries say."""
    with repeatable_read():
        last = raised.progress(LAST)
        if last is None or last_id_before(now) - last > SLICE * SLICES_AT_ONCE:
            # The check of the transactions comes first, and takes a while at the first time.
            return Found(is_complete=False)
        sums = {account: raised.progress(name) or 0 for account, name in SUMS.items()}
        for account, cents in _sums(Ids(last + 1, 2**62)):
            sums[account] += cents
        stored: Any = User.select(*(fn.SUM(getattr(User, f"{account}_cents")) for account in SUMS))
        balances = dict(zip(SUMS, stored.tuples().get(), strict=True))
    return Found(
        [
            Concern(account, f"Ledger: the {account}s of all players differ from their entries")
            for account in SUMS
            if sums[account] != int(balances[account] or 0)
        ]
    )


def _sums(ids: Ids) -> list[tuple[Account, int]]:
    """The sums of the entries of players in these transactions, by account."""
    posted: Any = (
        LedgerEntry.select(LedgerEntry.account, fn.SUM(LedgerEntry.amount_cents))
        .where(ids.have(LedgerEntry.transaction), LedgerEntry.account.in_(PLAYERS_ACCOUNTS))
        .group_by(LedgerEntry.account)
    )
    return [(Account(account), int(cents)) for account, cents in posted.tuples()]
