"""What a database of a release without a log needs when its log begins."""

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from models.bets import Bet
from models.db.connection import database, repeatable_read, writing
from models.log import BETS, Log
from models.users import User
from services.log import entries
from services.log.pseudonyms import Pseudonyms
from services.shared.clock import Millis

WITNESS = "seeds.witness"
"""The file of those releases. It has the last mark of the seeds that the database must contain."""

ROWS_AT_ONCE = 5_000

COLUMNS = (Bet.server_seed_commitment, Bet.nonce, Bet.payout_cents, Bet.wager_cents)


def prepare(pseudonyms: Pseudonyms, *, now: Millis) -> None:
    """Write the first entry of a log that has not begun, if there are bets: ten million take a minute."""
    with repeatable_read():
        is_due = not Log.get_by_id(BETS).checkpoint
        older = older_bets(pseudonyms) if is_due else None
    if older is not None and older.bets:
        text = entries.older_bets(at=now, **older._asdict()).decode()
        with writing():
            Log.update(first_entry=text).where(Log.name == BETS, Log.checkpoint == "").execute()


class OlderBets(NamedTuple):
    """How many bets are older than the log, and their digest."""

    bets: int
    digest: str
    """The SHA-256 over a line for each bet in the order of ids: canonical JSON and a newline."""


def older_bets(pseudonyms: Pseudonyms) -> OlderBets:
    """The bets that are older than the log. To be used within ``repeatable_read()``."""
    query: Any = Bet.select().where(Bet.next_commitment.is_null()).order_by(Bet.id).limit(ROWS_AT_ONCE)
    digest, count, last_id = hashlib.sha256(), 0, 0
    while rows := list(_with_players(query.where(Bet.id > last_id))):
        digest.update("".join(_line(pseudonyms, *row) for _, *row in rows).encode())
        count, last_id = count + len(rows), rows[-1][0]
    return OlderBets(count, digest.hexdigest())


def _with_players(bets: Any) -> Any:
    """Columns of these bets with their platform ids, in the order of the ids."""
    # A subquery: PostgreSQL, without statistics of the new column, would join all bets each time.
    older = bets.select(Bet.id, Bet.user, *COLUMNS).alias("older")
    columns = [getattr(older.c, column.column_name) for column in COLUMNS]
    return (
        User.select(older.c.id, User.platform_id, *columns)
        .join(older, on=(User.id == older.c.user_id))
        .order_by(older.c.id)
        .tuples()
    )


def _line(
    pseudonyms: Pseudonyms, platform_id: str, commitment: str, nonce: int, payout: int, wager: int
) -> str:
    player = pseudonyms.of(platform_id)
    # Without json.dumps, which takes three times as long. All texts are hexadecimal digits.
    return (
        f'{{"commitment":"{commitment}","nonce":{nonce},"payout":{payout},'
        f'"player":"{player}","wager":{wager}}}\n'
    )


def is_trusted(stored: Log, directory: Path) -> bool:
    """Whether the announced seeds of a database without a log may be used.

    They may if no server has used it, or if this machine used it last.
    """
    if stored.confirmations == 0 and stored.last_mark is None:
        return True
    try:
        witnessed = json.loads((directory / WITNESS).read_bytes())
        mark = f"{int(witnessed['number'])} {witnessed['token']}"
        return bool(mark == stored.last_mark and witnessed["database"] == database.obj.identity())
    except (OSError, ValueError, KeyError, TypeError):
        return False
