"""The SQL that writes bets: on PostgreSQL one statement for several, on SQLite its parts one after the other.

services/bets/writer.py runs it. ``python -m bench.speed spins`` prints what it gains.
"""

from dataclasses import dataclass, fields
from typing import Any, NamedTuple, get_type_hints

from models.bets import HIGH_ROLL, Bet
from models.db.sql import PARAMETER
from models.limits import REFUSAL, SUMS
from models.users import Balances


# These two are not frozen, which would take 4 us of a bet: they have fifty fields.
@dataclass(kw_only=True)
class Outcome:
    """A game's decision about a bet. Fields are named like the columns of ``bets`` where there is one."""

    game: str
    algorithm: str
    wager_cents: int
    payout_cents: int
    status: str
    item: str

    price_cents: int | None = None
    house_edge_ppm: int | None = None
    threshold: int | None = None
    roll: int | None = None
    """Of a spin of the upgrader."""

    snapshot_id: int | None = None
    snapshot_hash: str | None = None
    snapshot_text: str | None = None
    ticket: int | None = None
    case_read_at_ms: int | None = None
    """By the database's clock. The case must be settled soon after (``CASE_AGE_MS``)."""
    case_id: int | None = None
    """Of an opening. Its case is counted in ``case_spins``."""
    counted_edge_ppm: int | None = None
    """Of an opening: the house edge that counts for the theoretical loss."""
    reward_id: int | None = None
    """Of a free opening: the reward that it uses. None for a bet that is paid for."""
    prize_image: str | None = None
    """Of the prize that the payout is, and that goes to ``house.prizes``; None if coins are paid."""


@dataclass(kw_only=True)
class Settlement(Outcome):
    """A bet to write: its outcome, its player and seeds, and the next announced seed."""

    user_id: int
    token_number: int
    """Must still be the player's."""
    nonce: int
    server_seed_commitment: str
    """Nonce and commitment must still be the announced ones."""
    encrypted_server_seed: str
    client_seed: str
    next_commitment_hex: str
    next_encrypted_server_seed: str
    request_id: str | None
    request_digest: str | None
    shard: int
    ledger_kind: str


class Common(NamedTuple):
    """What all bets have that are written together."""

    created_at_ms: int
    """When they are settled: set when the waits for the database are over."""
    proof_due_at_ms: int
    day: int
    week: int
    month: int
    """When the day, the week and the month began."""
    checkpoint_size: int
    checkpoint_root: str
    """The log must have had this checkpoint, bets must not be paused, and the announced seed must be of the
    present epoch."""
    min_cycle_ms: int
    """The least time between two bets of a player."""
    longest_play_ms: int
    """The longest play session; 0 for any time."""


TYPES: dict[Any, str] = dict.fromkeys((int, int | None), "bigint") | dict.fromkeys((str, str | None), "text")
GIVEN = {field.name: TYPES[field.type] for field in fields(Settlement)}
"""The types of what each bet has of its own."""

NEXT_COMMITMENT = "next_commitment"
BET_FIELDS = [
    field
    for field in Bet._meta.sorted_fields  # noqa: SLF001  # peewee's own way
    if field.column_name in (*GIVEN, *Common._fields, NEXT_COMMITMENT)
]
"""The fields of a bet whose values are given."""

BALANCES = ", ".join(Balances._fields)

# In a restored database the announced seed may have been revealed already: models/announced_seeds.py.
SEED_IS_ANNOUNCED = """
    user_id = :user_id AND nonce = :nonce AND server_seed_commitment = :server_seed_commitment
    AND is_logged
    AND epoch = (SELECT epoch FROM log WHERE NOT is_paused)
    AND EXISTS (SELECT 1 FROM log_checkpoints WHERE size = :checkpoint_size AND root = :checkpoint_root)
"""
NEXT_SEED = """
    nonce = nonce + 1,
    server_seed_commitment = :next_commitment_hex,
    encrypted_server_seed = :next_encrypted_server_seed
"""
# The conditions for a bet in the player's row.
MAY_BET = f"balance_cents >= :wager_cents AND {REFUSAL} IS NULL"
CHANGES_OF_PLAYER = f"""
    balance_cents = balance_cents - :wager_cents + :payout_cents * CAST(:prize_image IS NULL AS INTEGER),
    balance_version = balance_version + 1,
    wagered_cents = wagered_cents + :wager_cents,
    earned_cents = earned_cents + :payout_cents,
    theoretical_loss_ucents = theoretical_loss_ucents
        + :wager_cents * COALESCE(:house_edge_ppm, :counted_edge_ppm, 0),
    {SUMS}
"""

# Of a free opening. Whatever changes a reward locks its player first, as the settlement does.
IS_OFFERED = """
    rewards.id = :reward_id AND rewards.user_id = :user_id AND rewards.case_id = :case_id
    AND rewards.state = 'offered'
    AND (rewards.expires_at_ms IS NULL OR rewards.expires_at_ms > :created_at_ms)
"""
COUNT_FREE_CASE = """,
    free_cases = free_cases + (SELECT COUNT(*) FROM rewards WHERE id = :reward_id AND kind = 'code')
"""

# The rows of bets that are not refused. ``{bets}`` has one row for each, and so has an INSERT: several bets
# of one shard change its row once. What bets share is locked in the order of its keys.
INSERT_TRANSACTION = """
    INSERT INTO ledger_transactions (id, kind, created_at_ms)
    SELECT :transaction_id, :ledger_kind, :created_at_ms FROM {bets}
    RETURNING id
"""
INSERT_ENTRIES = """
    INSERT INTO ledger_entries (transaction_id, account, user_id, amount_cents)
    SELECT :transaction_id, entry.column1, entry.column2, entry.column3
    FROM {bets} CROSS JOIN {lateral} (
        VALUES
            ('balance', :user_id, -:wager_cents), ('house.bets', NULL, :wager_cents),
            ('house.bets', NULL, -:payout_cents),
            ('house.prizes', NULL, :payout_cents * CAST(:prize_image IS NOT NULL AS INTEGER)),
            ('balance', :user_id, :payout_cents * CAST(:prize_image IS NULL AS INTEGER))
    ) AS entry
    WHERE entry.column3 <> 0
"""
INSERT_BET = f"""
    INSERT INTO bets (ledger_transaction_id, {", ".join(field.column_name for field in BET_FIELDS)})
    SELECT :transaction_id, {", ".join(f":{field.column_name}" for field in BET_FIELDS)} FROM {{bets}}
    RETURNING id, user_id, wager_cents, payout_cents
"""  # noqa: S608  # the columns of a table
SNAPSHOT_IS_STORED = "EXISTS (SELECT 1 FROM snapshots WHERE id = :snapshot_id AND hash = :snapshot_hash)"
# If another content has this id, its hash would become null, which the table refuses.
STORE_SNAPSHOT = f"""
    INSERT INTO snapshots (id, hash, content)
    SELECT :snapshot_id, :snapshot_hash, :snapshot_text FROM {{bets}}
    WHERE :snapshot_text IS NOT NULL AND NOT {SNAPSHOT_IS_STORED}
    ON CONFLICT (id) DO UPDATE SET hash = CASE WHEN snapshots.hash = EXCLUDED.hash THEN EXCLUDED.hash END
"""  # noqa: S608  # a constant
COUNT_LIVE_BETS = f"""
    INSERT INTO live_bet_counts (shard, bets, high_rolls)
    SELECT :shard, COUNT(*), SUM(CAST({HIGH_ROLL.sql} AS INTEGER)) FROM {{bets}} WHERE TRUE
    GROUP BY :shard ORDER BY :shard
    ON CONFLICT (shard) DO UPDATE SET
        bets = live_bet_counts.bets + EXCLUDED.bets,
        high_rolls = live_bet_counts.high_rolls + EXCLUDED.high_rolls
"""  # noqa: S608  # a constant
COUNT_CASE_SPINS = """
    INSERT INTO case_spins (game, case_id, shard, spins)
    SELECT :game, :case_id, :shard, COUNT(*) FROM {bets} WHERE :case_id IS NOT NULL
    GROUP BY :game, :case_id, :shard ORDER BY :game, :case_id, :shard
    ON CONFLICT (game, case_id, shard) DO UPDATE SET spins = case_spins.spins + EXCLUDED.spins
"""
# The next append to the log deletes it again.
LET_BETS_WAIT = "INSERT INTO log_waiting_bets (bet_id) SELECT :bet_id FROM {bets} WHERE TRUE"
INSERT_PRIZE = """
    INSERT INTO prizes (user_id, bet_id, name, image, value_cents, status, won_at_ms)
    SELECT :user_id, :bet_id, :item, :prize_image, :payout_cents, 'kept', :created_at_ms
    FROM {bets} WHERE :prize_image IS NOT NULL
    RETURNING id, bet_id
"""
USE_REWARD = f"""
    UPDATE rewards SET state = 'used', changed_at_ms = :created_at_ms, bet_id = :bet_id
    FROM {{bets}} WHERE {IS_OFFERED}
"""  # noqa: S608  # a constant


def settling_statement(*, is_alone: bool) -> str:
    """The statement that settles bets of different players, each all or nothing.

    Bets that come together leave out those that others would have to wait for, or that would fail all of
    them: a bet whose rows are locked, whose snapshot is not stored yet, or whose request id was used. Such a
    bet is settled alone, and waits.

    The advisory lock refuses a bet at once while another process settles one of the same player. PostgreSQL
    releases it after the commit. The first key is the class of these locks, the second the player.

    A player's row is checked when it is locked. Whether an opening is in time is decided when the waits for
    the seed and the player are over, whatever others have changed.

    The limit has PostgreSQL expect few bets, and so look the players up instead of reading all of them, also
    while it has no statistics of a new table.

    Each part takes its rows from the one before, which fixes the order of the locks: the seed, the player,
    and last what players share: a new snapshot, then the shard. The ledger transaction gets its id after the
    player is locked.
    """
    skip, may_be_together = "", "TRUE"
    if not is_alone:
        skip = "SKIP LOCKED"
        may_be_together = f"""
            (:snapshot_id IS NULL OR {SNAPSHOT_IS_STORED}) AND (:request_id IS NULL OR NOT EXISTS (
                SELECT FROM bets WHERE user_id = :user_id AND request_id = :request_id
            ))
        """  # a constant
    return f"""
WITH given ({", ".join(f":{name}" for name in GIVEN)}) AS (
    SELECT {", ".join(GIVEN)} FROM json_to_recordset(CAST(:bets AS json))
        AS bet ({", ".join(f"{name} {kind}" for name, kind in GIVEN.items())})
    LIMIT :count
), asked AS MATERIALIZED (
    SELECT *, pg_try_advisory_xact_lock(1936746862, CAST(:user_id & 2147483647 AS INTEGER)) AS is_taken
    FROM given
), seed AS MATERIALIZED (
    SELECT asked.* FROM asked CROSS JOIN LATERAL (
        SELECT FROM announced_seeds WHERE {SEED_IS_ANNOUNCED} FOR UPDATE {skip}
    ) AS announced
    WHERE is_taken AND {may_be_together}
), locked_player AS MATERIALIZED (
    SELECT seed.* FROM seed CROSS JOIN LATERAL (
        SELECT FROM users WHERE id = :user_id FOR NO KEY UPDATE {skip}
    ) AS locked
), reward AS MATERIALIZED (
    SELECT offered.id FROM locked_player CROSS JOIN LATERAL (
        SELECT id FROM rewards WHERE {IS_OFFERED} FOR UPDATE
    ) AS offered
), player AS (
    UPDATE users SET {CHANGES_OF_PLAYER}{COUNT_FREE_CASE}
    FROM locked_player
    WHERE id = :user_id AND {MAY_BET} AND (:reward_id IS NULL OR :reward_id IN (SELECT id FROM reward))
    RETURNING locked_player.*, {BALANCES}
), next_seed AS (
    UPDATE announced_seeds SET {NEXT_SEED} FROM player WHERE user_id = :user_id
), posting AS MATERIALIZED (
    SELECT *, nextval('ledger_transactions_id_seq') AS :transaction_id FROM player
),
ledger AS ({INSERT_TRANSACTION.format(bets="posting")}),
entries AS ({INSERT_ENTRIES.format(bets="posting", lateral="LATERAL")}),
snapshot AS ({STORE_SNAPSHOT.format(bets="posting")} RETURNING id),
inserted AS ({INSERT_BET.format(bets="posting LEFT JOIN snapshot ON id = :snapshot_id")}),
settled AS MATERIALIZED (
    SELECT posting.*, id AS :bet_id, wager_cents, payout_cents
    FROM posting JOIN inserted ON user_id = :user_id
),
waiting AS ({LET_BETS_WAIT.format(bets="settled")}),
live_bets AS ({COUNT_LIVE_BETS.format(bets="settled")}),
case_spins AS ({COUNT_CASE_SPINS.format(bets="settled")}),
prize AS ({INSERT_PRIZE.format(bets="settled")}),
used AS ({USE_REWARD.format(bets="settled")})
SELECT asked.:user_id, asked.is_taken, locked_player.:user_id IS NOT NULL, :bet_id, prize.id, {BALANCES}
FROM asked
LEFT JOIN locked_player ON locked_player.:user_id = asked.:user_id
LEFT JOIN settled ON settled.:user_id = asked.:user_id
LEFT JOIN prize ON bet_id = :bet_id
"""  # noqa: S608  # constants


def _with_columns(statement: str) -> str:
    """The statement with a column in place of what each bet has of its own, and the types of the others."""
    columns = {name: f"given_{name}" for name in (*GIVEN, "transaction_id", "bet_id")}
    columns |= {name: f"CAST(:{name} AS {TYPES[kind]})" for name, kind in get_type_hints(Common).items()}
    columns[NEXT_COMMITMENT] = "decode(given_next_commitment_hex, 'hex')"
    return PARAMETER.sub(lambda found: columns.get(found[1], found[0]), statement)


SETTLE = _with_columns(settling_statement(is_alone=False))
SETTLE_ALONE = _with_columns(settling_statement(is_alone=True))
"""The statements of PostgreSQL. Their parameters are ``bets``, a JSON array of objects with the keys of
GIVEN, ``count``, how many these are, and the fields of Common. They return a row for each bet: its player,
whether no other process was settling a bet of the player, whether seed and player were as the bet has them
and are locked, and if it is settled its id, that of its prize, and the balances."""

# On SQLite the parts are statements that run one after the other.
USE_SEED = f"UPDATE announced_seeds SET {NEXT_SEED} WHERE {SEED_IS_ANNOUNCED}"  # noqa: S608  # constants
CHANGE_PLAYER = f"""
UPDATE users SET {CHANGES_OF_PLAYER} WHERE id = :user_id AND {MAY_BET} RETURNING {BALANCES}
"""  # noqa: S608  # constants
CHANGE_PLAYER_FREE = CHANGE_PLAYER.replace(CHANGES_OF_PLAYER, CHANGES_OF_PLAYER + COUNT_FREE_CASE)
ROWS = {"bets": "(SELECT :wager_cents AS wager_cents, :payout_cents AS payout_cents) AS bet", "lateral": ""}
"""In place of ``{bets}`` and ``{lateral}``: the one bet."""
