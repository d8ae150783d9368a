"""Generates a long history quickly: the database itself writes thousands of bets in a statement.

Balances, ledger entries and totals are those of real spins, and pass ``flask ledger audit``. They do not pass
the fairness audit, because the seeds, rolls and tickets are not real.
"""

import hashlib
from dataclasses import dataclass

import peewee
from peewee import SqliteDatabase

from models.bets import Bet
from models.cases import Snapshot
from models.db.connection import database, reading, writing
from models.db.new_connections import STATEMENT_MS
from models.figures import THEORETICAL_LOSS_UCENTS
from models.ledger import LedgerTransaction
from models.payments import PaymentType
from models.users import User
from services.accounts import users
from services.figures import daily_figures
from services.payments import transfers as payments
from services.payments.transfers import Transfer
from services.shared.clock import CalendarPeriod
from services.shared.money import Cents

PLAYERS = 200
MILLIS_A_BET = 200
PROOF_DELAY_MS = 6000
BETS_A_CHUNK = 20_000
BETS_A_PAYMENT = 1000
COINS = Cents(100_000_000_000)
CASE_ID = 1
"""The row of the case that the players open. Nothing needs it."""
CONTENT = (
    '{"id":"case-of-history","items":[{"name":"Item of history","price":"100",'
    '"width":"1000000000000000000"}],"price":"106"}'
)


def _mod(value: str, by: int) -> str:
    """A remainder, without the percent sign that PostgreSQL's driver takes for a parameter."""
    return f"(({value}) - ({value}) / {by} * {by})"


# The first player makes every tenth bet, the others take turns. ``i`` counts from 0 in a chunk.
AMONG_OTHERS = "(i - i / 10 - 1)"
IS_FIRST = f"{_mod('i', 10)} = 0"
PLAYER = f"CASE WHEN {IS_FIRST} THEN 0 ELSE 1 + {_mod(AMONG_OTHERS, PLAYERS - 1)} END"
OWN_BETS_BEFORE = f"CASE WHEN {IS_FIRST} THEN i / 10 ELSE {AMONG_OTHERS} / {PLAYERS - 1} END"
# From a cent to 52 coins, on items that cost 2, 4, 20 and 100 times as much.
WAGER = f"1 + {_mod('(i + {serial}) * 7919', 5200)}"
TIMES = "CASE i & 3 WHEN 0 THEN 2 WHEN 1 THEN 4 WHEN 2 THEN 20 ELSE 100 END"
ROLL = _mod("(i + {serial}) * 7368787", 10_000_000)
# Every 16th bet of a player is an opening of a case, the others are spins.
IS_OPENING = "(i / 10 & 15) = 0"

NUMBERS = {
    True: "WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers LIMIT {count})",
    False: "WITH numbers (i) AS (SELECT generate_series(0, {count} - 1)::bigint)",
}
SEED = {
    True: "lower(hex(randomblob(32)))",
    False: "md5('{what}' || (i + {serial})) || md5((i + {serial}) || '{what}')",
}
NEXT_COMMITMENT = {True: "zeroblob(32)", False: "sha256('')"}

INSERT_TRANSACTIONS = """
    INSERT INTO ledger_transactions (id, kind, created_at_ms)
    {numbers} SELECT {transaction} + i, CASE WHEN {is_opening} THEN 'opening' ELSE 'spin' END,
        {begin} + i * {step} FROM numbers
"""
INSERT_BETS = """
    INSERT INTO bets (
        id, user_id, game, algorithm, nonce, ledger_transaction_id, wager_cents, payout_cents, status, item,
        price_cents, house_edge_ppm, threshold, roll, snapshot_id, ticket, case_id, next_commitment,
        client_seed, server_seed_commitment, server_seed,
        created_at_ms, proof_due_at_ms, proof_delivered_at_ms
    )
    {numbers}, drawn AS (
        SELECT i, {is_opening} AS is_opening, {first_player} + {player} AS user_id, {own_bets} AS own_bets,
               {wager} AS wager, {times} AS times, {roll} AS roll, {begin} + i * {step} AS made
        FROM numbers
    )
    SELECT {bet} + i, drawn.user_id, CASE WHEN is_opening THEN 'case' ELSE 'upgrader' END,
           CASE WHEN is_opening THEN 'case-1' ELSE 'upgrader-1' END,
           nonce + own_bets, {transaction} + i, wager,
           CASE WHEN roll < 9500000 / times THEN wager * times ELSE 0 END,
           CASE WHEN roll < 9500000 / times THEN 'won' ELSE 'lost' END,
           'Item of history', CASE WHEN NOT is_opening THEN wager * times END,
           CASE WHEN NOT is_opening THEN 50000 END, CASE WHEN NOT is_opening THEN 9500000 / times END,
           CASE WHEN NOT is_opening THEN roll END, CASE WHEN is_opening THEN {snapshot} END,
           CASE WHEN is_opening THEN roll * 100000000000 END, CASE WHEN is_opening THEN {case} END,
           {next_commitment}, 'seed-' || (i & 1023),
           {commitment}, {server_seed}, made, made + {delay}, made + {delay}
    FROM drawn JOIN announced_seeds ON announced_seeds.user_id = drawn.user_id
"""
NEW_BETS = "FROM bets WHERE id BETWEEN {bet} AND {bet} + {count} - 1"
INSERT_ENTRIES = f"""
    INSERT INTO ledger_entries (transaction_id, account, user_id, amount_cents)
    SELECT ledger_transaction_id, 'balance', user_id, -wager_cents {NEW_BETS}
    UNION ALL SELECT ledger_transaction_id, 'house.bets', NULL, wager_cents {NEW_BETS}
    UNION ALL SELECT ledger_transaction_id, 'house.bets', NULL, -payout_cents {NEW_BETS} AND status = 'won'
    UNION ALL SELECT ledger_transaction_id, 'balance', user_id, payout_cents {NEW_BETS} AND status = 'won'
"""
SUMS = f"""
    (SELECT user_id, COUNT(*) AS made, SUM(wager_cents) AS wagered, SUM(payout_cents) AS earned,
        CAST(SUM({THEORETICAL_LOSS_UCENTS}) AS BIGINT) AS theoretical_loss
     {NEW_BETS} GROUP BY user_id) AS sums
"""
ADD_TO_USERS = f"""
    UPDATE users SET wagered_cents = wagered_cents + wagered, earned_cents = earned_cents + earned,
                     balance_cents = balance_cents + earned - wagered,
                     theoretical_loss_ucents = theoretical_loss_ucents + theoretical_loss
    FROM {SUMS} WHERE sums.user_id = users.id
"""  # noqa: S608  # the only values are numbers of this module
ADD_TO_NONCES = f"""
    UPDATE announced_seeds SET nonce = nonce + made FROM {SUMS} WHERE sums.user_id = announced_seeds.user_id
"""  # noqa: S608
ADD_TO_PERIODS = f"""
    UPDATE users SET
        {{period}}_wagered_cents = wagered
            + CASE WHEN {{period}}_starts_at_ms = {{start}} THEN {{period}}_wagered_cents ELSE 0 END,
        {{period}}_paid_cents = earned
            + CASE WHEN {{period}}_starts_at_ms = {{start}} THEN {{period}}_paid_cents ELSE 0 END,
        {{period}}_starts_at_ms = {{start}}
    FROM (
        SELECT user_id, SUM(wager_cents) AS wagered, SUM(payout_cents) AS earned {NEW_BETS}
            AND created_at_ms BETWEEN {{start}} AND {{last}} GROUP BY user_id
    ) AS sums WHERE sums.user_id = users.id
"""  # noqa: S608
ADD_TO_COUNTS = f"""
    INSERT INTO live_bet_counts (shard, bets, high_rolls)
    SELECT user_id & 63, COUNT(*),
           SUM(CASE WHEN wager_cents >= 5000 OR payout_cents >= 10 * wager_cents THEN 1 ELSE 0 END)
           {NEW_BETS} GROUP BY user_id & 63
    ON CONFLICT (shard) DO UPDATE SET bets = live_bet_counts.bets + excluded.bets,
                                      high_rolls = live_bet_counts.high_rolls + excluded.high_rolls
"""
FLAGS = [
    field.column_name
    for field in User._meta.sorted_fields
    if isinstance(field, peewee.BooleanField) and not field.null
]
COUNTERS = [
    field.column_name
    for field in User._meta.sorted_fields
    if field.default == 0 and field.column_name not in FLAGS
]
INSERT_PLAYERS = f"""
    INSERT INTO users (
        platform_id, username, username_folded, avatar, registered_at_ms, client_seed, trade_url,
        {", ".join(FLAGS + COUNTERS)}
    )
    SELECT 'bulk:' || i, 'bulk-' || i, 'bulk-' || i, '', 1700000000000 + i, 'seed', '',
        {", ".join(["FALSE"] * len(FLAGS) + ["0"] * len(COUNTERS))}
    FROM generate_series(1, %s) AS i
"""  # noqa: S608  # names of columns


@dataclass
class History:
    """The players, the case that they open, the number of bets, and the time when the last one is due."""

    players: list[User]
    snapshot: int
    bets: int
    now: int


def begin(*, seeds, now: int) -> History:
    """Create the players. The database must be empty."""
    with writing():
        players = [
            users.create(username=f"player-{number}", now=now, balance=COINS) for number in range(PLAYERS)
        ]
        for player in players:
            seeds.announce_first(user_id=player.id)
        # No case has this content, so nothing counts its openings.
        content_hash = hashlib.sha256(CONTENT.encode()).hexdigest()
        snapshot = Snapshot.insert(hash=content_hash, content=CONTENT).execute()
    return History(players, snapshot, 0, now)


def extend(history: History, *, to: int) -> None:
    """Add bets, five a second, until there are this many. The first player sometimes makes a payment."""
    while history.bets < to:
        count = min(BETS_A_CHUNK, to - history.bets)
        _write_chunk(history, count)
        for number in range(history.bets // BETS_A_PAYMENT, (history.bets + count) // BETS_A_PAYMENT):
            _pay(history, number)
        history.bets += count
        history.now += count * MILLIS_A_BET
    history.now += PROOF_DELAY_MS
    daily_figures.rebuild()
    settle()


def add_players(count: int) -> None:
    """Add players who never bet and have no coins. On PostgreSQL."""
    with writing():
        database.lift_statement_limit()
        database.execute_sql(INSERT_PLAYERS, (count,))


def settle() -> None:
    """Let PostgreSQL update its statistics, as it does by itself later. SQLite never does."""
    if isinstance(database.obj, SqliteDatabase):
        return
    with reading():
        database.execute_sql("SET statement_timeout = 0")
        database.execute_sql("VACUUM (ANALYZE)")
        database.execute_sql(f"SET statement_timeout = {STATEMENT_MS}")


def _write_chunk(history: History, count: int) -> None:
    is_sqlite = isinstance(database.obj, SqliteDatabase)
    last = history.now + (count - 1) * MILLIS_A_BET
    with writing():
        database.lift_statement_limit()
        values = {
            "count": count,
            "serial": history.bets,
            "begin": history.now,
            "step": MILLIS_A_BET,
            "delay": PROOF_DELAY_MS,
            "first_player": history.players[0].id,
            "player": PLAYER,
            "own_bets": OWN_BETS_BEFORE,
            "is_opening": IS_OPENING,
            "snapshot": history.snapshot,
            "case": CASE_ID,
            "times": TIMES,
            "bet": _next_id(Bet),
            "transaction": _next_id(LedgerTransaction),
        }
        values |= {
            "numbers": NUMBERS[is_sqlite].format(**values),
            "wager": WAGER.format(**values),
            "roll": ROLL.format(**values),
            "commitment": SEED[is_sqlite].format(what="commitment", **values),
            "server_seed": SEED[is_sqlite].format(what="seed", **values),
            "next_commitment": NEXT_COMMITMENT[is_sqlite],
        }
        statements = [
            INSERT_TRANSACTIONS,
            INSERT_BETS,
            INSERT_ENTRIES,
            ADD_TO_USERS,
            ADD_TO_NONCES,
            ADD_TO_COUNTS,
        ]
        for statement in statements:
            database.execute_sql(statement.format(**values))
        for period in CalendarPeriod:
            for start in sorted({period.start(history.now), period.start(last)}):
                end = last if start == period.start(last) else period.start(last) - 1
                database.execute_sql(ADD_TO_PERIODS.format(period=period, start=start, last=end, **values))
        if not is_sqlite:
            for table in (Bet, LedgerTransaction):
                sequence = f"{table._meta.table_name}_id_seq"
                database.execute_sql("SELECT setval(%s, %s)", (sequence, _next_id(table) - 1))


def _pay(history: History, number: int) -> None:
    payments.record(
        user=history.players[0],
        type_=PaymentType.WITHDRAWAL if number % 3 == 2 else PaymentType.DEPOSIT,
        usd=Cents(100 + number * 37 % 9973),
        transfer=Transfer(txhash=f"tx-{number}", chain="bitcoin", asset="BTC"),
        now=history.now,
    )


def _next_id(table) -> int:
    last = table.select(table.id).order_by(table.id.desc()).limit(1).scalar()
    return (last or 0) + 1
