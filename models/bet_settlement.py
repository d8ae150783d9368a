"""The SQL that writes a bet: on PostgreSQL one statement, on SQLite its parts one after the other.

services/bets/settlement.py runs it. With 20 players PostgreSQL settled 1,560 spins a second in thirteen
statements, 2,100 in one, and 3,800 in one that each connection prepares once.
"""

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from models.bets import HIGH_ROLL, Bet
from models.db.postgres import Postgres
from models.db.sql import PARAMETER, with_clock
from models.limits import IS_IN_TIME, REFUSAL, SUMS
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
    next_commitment: bytes
    next_encrypted_server_seed: str
    checkpoint_size: int
    checkpoint_root: str
    """The log must have had this checkpoint, bets must not be paused, and the announced seed must be of the
    present epoch."""
    request_id: str | None
    request_digest: str | None
    shard: int
    ledger_kind: str
    min_cycle_ms: int
    """The least time between two bets of a player."""
    longest_play_ms: int
    """The longest play session; 0 for any time."""


TIMES = ("created_at_ms", "proof_due_at_ms", "day", "week", "month")
"""When the bet is settled, when its proof is due, and when its day, week and month began.

These parameters are set when the waits for the database are over.
"""
TYPES: dict[Any, str] = {int: "bigint", int | None: "bigint", bytes: "bytea"}
PARAMETERS = {field.name: TYPES.get(field.type, "text") for field in fields(Settlement)} | dict.fromkeys(
    TIMES, "bigint"
)
"""The types of all parameters."""

BET_FIELDS = [
    field
    for field in Bet._meta.sorted_fields  # noqa: SLF001  # peewee's own way
    if field.column_name in PARAMETERS
]
"""The fields of a bet whose values are parameters."""

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
USE_REWARD = """
    UPDATE rewards SET state = 'used', changed_at_ms = :created_at_ms, bet_id = bet.id
    FROM {bet} WHERE
"""
COUNT_FREE_CASE = """,
    free_cases = free_cases + (SELECT COUNT(*) FROM rewards WHERE id = :reward_id AND kind = 'code')
"""

# The rows of a bet. In place of ``{player}`` goes a row if the bet is not refused, in place of ``{posting}``
# one with the id of the ledger transaction, in place of ``{bet}`` one with id, wager and payout of the bet.
INSERT_TRANSACTION = """
    INSERT INTO ledger_transactions (kind, created_at_ms)
    SELECT :ledger_kind, :created_at_ms FROM {player}
    RETURNING id
"""
INSERT_ENTRIES = """
    INSERT INTO ledger_entries (transaction_id, account, user_id, amount_cents)
    SELECT posting.id, entry.column1, entry.column2, entry.column3
    FROM {posting}, (
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
    SELECT posting.id, {", ".join(f":{field.column_name}" for field in BET_FIELDS)} FROM {{posting}}
    RETURNING id, wager_cents, payout_cents
"""  # noqa: S608  # the columns of a table
SNAPSHOT_IS_STORED = "EXISTS (SELECT 1 FROM snapshots WHERE id = :snapshot_id AND hash = :snapshot_hash)"
# If another content has this id, its hash would become null, which the table refuses.
STORE_SNAPSHOT = f"""
    INSERT INTO snapshots (id, hash, content)
    SELECT :snapshot_id, :snapshot_hash, :snapshot_text FROM {{player}}
    WHERE :snapshot_text IS NOT NULL AND NOT {SNAPSHOT_IS_STORED}
    ON CONFLICT (id) DO UPDATE SET hash = CASE WHEN snapshots.hash = EXCLUDED.hash THEN EXCLUDED.hash END
"""  # noqa: S608  # a constant
COUNT_LIVE_BET = f"""
    INSERT INTO live_bet_counts (shard, bets, high_rolls)
    SELECT :shard, 1, CAST({HIGH_ROLL.sql} AS INTEGER) FROM {{bet}} WHERE TRUE
    ON CONFLICT (shard) DO UPDATE SET
        bets = live_bet_counts.bets + EXCLUDED.bets,
        high_rolls = live_bet_counts.high_rolls + EXCLUDED.high_rolls
"""  # noqa: S608  # a constant
COUNT_CASE_SPIN = """
    INSERT INTO case_spins (game, case_id, shard, spins)
    SELECT :game, :case_id, :shard, 1 FROM {bet} WHERE :case_id IS NOT NULL
    ON CONFLICT (game, case_id, shard) DO UPDATE SET spins = case_spins.spins + 1
"""
# The next append to the log deletes it again.
LET_BET_WAIT = "INSERT INTO log_waiting_bets (bet_id) SELECT id FROM {bet} WHERE TRUE"
INSERT_PRIZE = """
    INSERT INTO prizes (user_id, bet_id, name, image, value_cents, status, won_at_ms)
    SELECT :user_id, bet.id, :item, :prize_image, :payout_cents, 'kept', :created_at_ms
    FROM {bet} WHERE :prize_image IS NOT NULL
    RETURNING id
"""

# The advisory lock refuses a bet at once while another process settles one of the same player. PostgreSQL
# releases it after the commit. The first key is the class of these locks, the second the player.
#
# The player's row is checked again after a wait for a transaction that has changed it. Whether an opening is
# in time is decided when the waits for the seed and the player are over, whatever others have changed.
#
# Each part takes its rows from the one before, which fixes the order of the locks: the seed, the player, and
# last what players share: a new snapshot, then the shard. The ledger transaction gets its id after the player
# is locked.
_LOCK_REWARD = f"""
), reward AS (
    SELECT rewards.id FROM rewards JOIN locked_player ON rewards.user_id = locked_player.id
    WHERE {IS_OFFERED}
    FOR UPDATE OF rewards
"""  # noqa: S608  # a constant
_USE_LOCKED_REWARD = f"""
), used AS ({USE_REWARD.format(bet="bet, reward")} rewards.id = reward.id
"""


def settling_statement(*, is_free: bool) -> str:
    """The statement that settles a bet.

    A free opening has one of its own, so that its reward costs other bets nothing.
    """
    return f"""
WITH lock AS MATERIALIZED (
    SELECT
        pg_try_advisory_xact_lock(1936746862, CAST(:user_id & 2147483647 AS INTEGER)) AS is_taken,
        :snapshot_id IS NULL OR :snapshot_text IS NOT NULL OR {SNAPSHOT_IS_STORED} AS has_snapshot
), seed AS (
    SELECT user_id FROM announced_seeds
    WHERE (SELECT is_taken AND has_snapshot FROM lock) AND {SEED_IS_ANNOUNCED}
    FOR UPDATE
), locked_player AS (
    SELECT id FROM users JOIN seed ON id = seed.user_id
    {"" if is_free else "WHERE :case_read_at_ms IS NOT NULL"}
    FOR NO KEY UPDATE OF users
{_LOCK_REWARD if is_free else ""}
), player AS (
    UPDATE users SET {CHANGES_OF_PLAYER}{COUNT_FREE_CASE if is_free else ""}
    FROM seed
    WHERE id = seed.user_id AND {MAY_BET}
        AND (:case_read_at_ms IS NULL OR (SELECT {IS_IN_TIME} FROM locked_player))
        {"AND EXISTS (SELECT FROM reward)" if is_free else ""}
    RETURNING id, {BALANCES}
), next_seed AS (
    UPDATE announced_seeds SET {NEXT_SEED} FROM player WHERE user_id = player.id
), posting AS ({INSERT_TRANSACTION.format(player="player")}),
entries AS ({INSERT_ENTRIES.format(posting="posting")}),
snapshot AS ({STORE_SNAPSHOT.format(player="player")} RETURNING id),
bet AS ({INSERT_BET.format(posting="posting LEFT JOIN snapshot ON TRUE")}),
waiting AS ({LET_BET_WAIT.format(bet="bet")}),
live_bets AS ({COUNT_LIVE_BET.format(bet="bet")}),
case_spin AS ({COUNT_CASE_SPIN.format(bet="bet")}),
prize AS ({INSERT_PRIZE.format(bet="bet")}
{_USE_LOCKED_REWARD if is_free else ""}
)
SELECT
    lock.is_taken, lock.has_snapshot, EXISTS (SELECT FROM seed), bet.id, prize.id, {BALANCES}
FROM lock LEFT JOIN player ON TRUE LEFT JOIN bet ON TRUE LEFT JOIN prize ON TRUE
"""  # noqa: S608  # constants


class Prepared(NamedTuple):
    """A settling statement of PostgreSQL, which each connection prepares once."""

    name: str
    prepare: str
    execute: str
    """Takes the values of PARAMETERS in their order. Returns one row, as the statement selects it."""


def _prepared(name: str, statement: str) -> Prepared:
    numbers = {name: f"${number}" for number, name in enumerate(PARAMETERS, start=1)}
    numbered = PARAMETER.sub(lambda name: numbers[name[1]], with_clock(statement, Postgres))
    return Prepared(
        name,
        prepare=f"PREPARE {name} ({', '.join(PARAMETERS.values())}) AS {numbered}",
        execute=f"EXECUTE {name} ({', '.join('%s' for _ in PARAMETERS)})",
    )


SETTLE = _prepared("settle", settling_statement(is_free=False))
SETTLE_FREE = _prepared("settle_free", settling_statement(is_free=True))
"""Of an opening that uses a reward."""

# On SQLite the parts are statements that run one after the other.
USE_SEED = f"UPDATE announced_seeds SET {NEXT_SEED} WHERE {SEED_IS_ANNOUNCED}"  # noqa: S608  # constants
CHANGE_PLAYER = f"""
UPDATE users SET {CHANGES_OF_PLAYER} WHERE id = :user_id AND {MAY_BET} RETURNING {BALANCES}
"""  # noqa: S608  # constants
CHANGE_PLAYER_FREE = CHANGE_PLAYER.replace(CHANGES_OF_PLAYER, CHANGES_OF_PLAYER + COUNT_FREE_CASE)
USE_OFFERED_REWARD = USE_REWARD + IS_OFFERED
ROWS = {
    "player": "(SELECT 1) AS player",
    "posting": "(SELECT :transaction_id AS id) AS posting",
    "bet": "(SELECT :bet_id AS id, :wager_cents AS wager_cents, :payout_cents AS payout_cents) AS bet",
}
"""What the other parts take their rows from, with two more parameters."""
