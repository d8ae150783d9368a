"""Battles: their cases and seats, the contents of open ones, and the SQL that changes them.

A battle is ``open`` until it is ``locked`` or ``cancelled``; a locked one ends as ``settled`` or ``void``.
Whatever changes it locks its row first, then the rows of players in the order of their ids.
"""

from enum import StrEnum

import peewee
from peewee import SQL, Check

from models.bets import HIGH_ROLL, Bet
from models.db.connection import Table
from models.figures import LIVE_BET_SHARDS
from models.ledger import LedgerTransaction
from models.limits import PLAYED_LATELY, REFUSAL, SUMS
from models.log import LogEntry
from models.users import User

BATTLE = "battle"
"""The game of the bets of battles."""
BATTLE_1 = "battle-1"
"""Their algorithm."""


class State(StrEnum):
    """How far a battle is."""

    OPEN = "open"
    LOCKED = "locked"
    SETTLED = "settled"
    CANCELLED = "cancelled"
    VOID = "void"


class VoidReason(StrEnum):
    """Why a locked battle was refunded."""

    LATE = "late"
    """The lock was not in a signed checkpoint in time."""
    BEACON = "beacon"
    """The network has not published the round for a day."""
    RESTORE = "restore"
    """The lock was in the part of the log that a restore has lost."""


class Battle(Table):
    """A battle. Each change raises ``version``."""

    id = peewee.BigAutoField()
    # 128 random bits in base64url.
    public_id = peewee.CharField(max_length=22, unique=True)
    state = peewee.CharField(
        max_length=9, constraints=[Check(f"state IN {tuple(state.value for state in State)}")]
    )
    version = peewee.BigIntegerField(constraints=[Check("version >= 1")])
    mode = peewee.CharField(max_length=7, constraints=[Check("mode IN ('normal', 'jackpot', 'shared')")])
    # Such as ``2v2``: see TEAMS in services/battles/rules.py.
    teams = peewee.CharField(max_length=11)
    is_crazy = peewee.BooleanField()
    is_terminal = peewee.BooleanField()
    is_players_only = peewee.BooleanField()
    is_private = peewee.BooleanField()
    # What each seat costs.
    cost_cents = peewee.BigIntegerField(constraints=[Check("cost_cents > 0")])
    # The house edge that counts for the theoretical loss of its players.
    counted_edge_ppm = peewee.IntegerField(constraints=[Check("counted_edge_ppm BETWEEN 0 AND 999999")])
    creator = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    creator_id: int
    commitment = peewee.CharField(max_length=64, unique=True)
    encrypted_server_seed = peewee.TextField()
    # Once it is published: of a settled or void battle, and of one that a restore has cancelled.
    server_seed = peewee.CharField(max_length=64, null=True)
    created_at_ms = peewee.BigIntegerField()

    # When the last seat was taken, the round that decides, and the entry in the log.
    locked_at_ms = peewee.BigIntegerField(null=True)
    round = peewee.BigIntegerField(null=True)
    lock_entry = peewee.ForeignKeyField(
        LogEntry, null=True, unique=True, on_delete="RESTRICT", backref="locked_battle"
    )
    lock_entry_id: int | None
    # Of that entry in the log, written when it is appended.
    lock_index = peewee.BigIntegerField(null=True)
    # Whether it was in a signed checkpoint before the round could be known; null until that is decided.
    is_lock_in_time = peewee.BooleanField(null=True)
    # Whether it must end because a restore has lost the end of the log: see models/battle_locks.py.
    is_restored = peewee.BooleanField(default=False)

    ended_at_ms = peewee.BigIntegerField(null=True)
    # The beacon of a settled battle.
    signature = peewee.CharField(max_length=96, null=True)
    randomness = peewee.CharField(max_length=64, null=True)
    end_entry = peewee.ForeignKeyField(
        LogEntry, null=True, unique=True, on_delete="RESTRICT", backref="ended_battle"
    )
    end_index = peewee.BigIntegerField(null=True)
    void_reason = peewee.CharField(
        max_length=7, null=True, constraints=[Check("void_reason IN ('late', 'beacon', 'restore')")]
    )
    # Who drew what and who won, as JSON: see ``Outcome`` in services/battles/outcomes.py.
    outcome = peewee.TextField(null=True)
    # Of a settled battle: the seats of bots, and those of them in a winning team.
    bot_seats = peewee.IntegerField(null=True)
    bot_wins = peewee.IntegerField(null=True, constraints=[Check("bot_wins BETWEEN 0 AND bot_seats")])
    # The transaction of the end.
    ledger_transaction = peewee.ForeignKeyField(
        LedgerTransaction, null=True, unique=True, on_delete="RESTRICT"
    )

    class Meta:
        table_name = "battles"
        constraints = [
            Check(
                "(state IN ('locked', 'settled', 'void')) = (lock_entry_id IS NOT NULL)"
                " AND (lock_entry_id IS NULL) = (locked_at_ms IS NULL)"
                " AND (lock_entry_id IS NULL) = (round IS NULL)",
                "battles_lock",
            ),
            Check(
                "(state IN ('settled', 'void', 'cancelled')) = (ended_at_ms IS NOT NULL)"
                " AND (state IN ('settled', 'void')) = (end_entry_id IS NOT NULL)"
                " AND (state = 'void') = (void_reason IS NOT NULL)"
                " AND (state = 'settled') = (signature IS NOT NULL AND randomness IS NOT NULL"
                " AND outcome IS NOT NULL AND bot_wins IS NOT NULL AND ledger_transaction_id IS NOT NULL)",
                "battles_end",
            ),
        ]
        indexes = (
            # What is to be locked, cancelled or ended.
            SQL("CREATE INDEX battles_under_way ON battles (state, id) WHERE state IN ('open', 'locked')"),
            # Of the back office; there are few.
            SQL("CREATE INDEX battles_void ON battles (id) WHERE state = 'void'"),
            # Which cosigned checkpoints are kept: see models/witnesses.py.
            SQL("CREATE INDEX battles_lock_index ON battles (lock_index) WHERE lock_index IS NOT NULL"),
            # The sums of bots are read from it alone.
            SQL(
                "CREATE INDEX battles_of_bots ON battles (teams, mode, bot_seats, bot_wins)"
                " WHERE bot_seats > 0 AND mode <> 'shared'"
            ),
            # The public lists, newest first.
            SQL("CREATE INDEX battles_listed ON battles (state, id) WHERE NOT is_private"),
        )


class BattleCase(Table):
    """A case of a battle, which each seat opens ``count`` times in a row."""

    battle = peewee.ForeignKeyField(Battle, on_delete="CASCADE", index=False)
    battle_id: int
    position = peewee.IntegerField(constraints=[Check("position >= 0")])
    count = peewee.IntegerField(constraints=[Check("count BETWEEN 1 AND 50")])
    # The row of the case, which may be retired since. It is no foreign key, as in ``CaseSpins``.
    case_id = peewee.BigIntegerField()
    slug = peewee.CharField(max_length=300)
    name = peewee.CharField(max_length=100)
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents > 0")])
    # Of ``battle_snapshots`` while the battle is open, and of ``snapshots`` from the lock on.
    snapshot_id = peewee.BigIntegerField()
    snapshot_hash = peewee.CharField(max_length=64)

    class Meta:
        table_name = "battle_cases"
        primary_key = peewee.CompositeKey("battle", "position")


class BattleSeat(Table):
    """A seat that was taken, by a player or by a bot. The row stays when the player leaves."""

    id = peewee.BigAutoField()
    battle = peewee.ForeignKeyField(Battle, on_delete="CASCADE", index=False)
    battle_id: int
    seat = peewee.IntegerField(constraints=[Check("seat BETWEEN 0 AND 5")])
    # Null for a bot.
    user = peewee.ForeignKeyField(User, null=True, on_delete="RESTRICT", index=False)
    user_id: int | None
    client_seed = peewee.CharField(max_length=64)
    joined_at_ms = peewee.BigIntegerField()
    # Null while the seat is taken, which it stays when the battle ends.
    left_at_ms = peewee.BigIntegerField(null=True)
    request_id = peewee.CharField(max_length=64, null=True)
    request_digest = peewee.CharField(max_length=64, null=True)
    # Of a player in a settled battle.
    bet = peewee.ForeignKeyField(Bet, null=True, unique=True, on_delete="RESTRICT")
    # The nonce of the player's newest bet when the battle ended, by which histories are ordered.
    after_nonce = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "battle_seats"
        constraints = [Check("(bet_id IS NULL) = (after_nonce IS NULL)", "battle_seats_bet")]
        indexes = (
            # Of two who take one seat at once, one fails; and a player has one seat.
            SQL(
                "CREATE UNIQUE INDEX battle_seats_taken ON battle_seats (battle_id, seat)"
                " WHERE left_at_ms IS NULL"
            ),
            SQL(
                "CREATE UNIQUE INDEX battle_seats_of_player ON battle_seats (user_id, battle_id)"
                " WHERE left_at_ms IS NULL"
            ),
            SQL(
                "CREATE UNIQUE INDEX battle_seats_by_request_id ON battle_seats (user_id, request_id)"
                " WHERE request_id IS NOT NULL"
            ),
            # The places of a player's battles between the other bets, from the index alone.
            SQL(
                "CREATE INDEX battle_seats_in_history ON battle_seats (user_id, after_nonce, bet_id, id)"
                " WHERE bet_id IS NOT NULL"
            ),
        )


class BattleSnapshot(Table):
    """The content of a case of open battles, as in ``snapshots``. The lock copies it there."""

    id = peewee.BigIntegerField(primary_key=True)
    hash = peewee.CharField(max_length=64, constraints=[Check("length(hash) = 64")])
    content = peewee.TextField()
    # When the newest battle with it was created.
    used_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "battle_snapshots"


TAKE_SEAT = f"""
UPDATE users SET
    balance_cents = balance_cents - :wager_cents,
    balance_version = balance_version + 1,
    battle_seats_cents = battle_seats_cents + :wager_cents,
    last_bet_at_ms = :created_at_ms,
    play_began_at_ms = CASE WHEN {PLAYED_LATELY} THEN play_began_at_ms ELSE :created_at_ms END,
    play_wagered_cents = CASE WHEN {PLAYED_LATELY} THEN play_wagered_cents ELSE 0 END,
    play_paid_cents = CASE WHEN {PLAYED_LATELY} THEN play_paid_cents ELSE 0 END
WHERE id = :user_id AND balance_cents >= :wager_cents AND {REFUSAL} IS NULL
"""  # noqa: S608  # constants
"""Takes the cost of a seat from a player who may bet, with the parameters of ``REFUSAL``."""

SEATS_TO_TAKE_BACK = f"""
SELECT battle_seats.battle_id, battle_seats.user_id
FROM battle_seats
    JOIN battles ON battles.id = battle_seats.battle_id AND battles.state = 'open'
    JOIN users ON users.id = battle_seats.user_id
WHERE battle_seats.left_at_ms IS NULL
    AND (:battle_id IS NULL OR battles.id = :battle_id)
    AND (:user_id IS NULL OR users.id = :user_id)
    AND {REFUSAL.replace(":token_number", "token_number")} IS NOT NULL
ORDER BY battle_seats.battle_id, battle_seats.user_id
"""  # noqa: S608  # constants
"""The seats in open battles whose players may not bet any more, with the parameters of ``REFUSAL``.

A wager of 0 compares the limits with what is used and what the open seats cost.
"""

KEEP_SNAPSHOTS = """
INSERT INTO snapshots (id, hash, content)
SELECT id, hash, content FROM battle_snapshots
WHERE id IN (SELECT snapshot_id FROM battle_cases WHERE battle_id = :battle_id)
ORDER BY id
ON CONFLICT (id) DO UPDATE SET hash = CASE WHEN snapshots.hash = EXCLUDED.hash THEN EXCLUDED.hash END
"""
"""Keeps the contents of a battle for good. If another content has an id, its hash would become null, which
the table refuses."""

MISSING_SNAPSHOTS = """
SELECT COUNT(*) FROM battle_cases
WHERE battle_id = :battle_id AND NOT EXISTS (
    SELECT 1 FROM snapshots WHERE id = battle_cases.snapshot_id AND hash = battle_cases.snapshot_hash
)
"""

# How the players' seats of a settled battle become bets: in this order, and each step for all seats at once,
# because a hundred battles may have one round. ``:payouts`` has what each player gets, by the ids of the
# players, and ``:items`` the name of the dearest item that each has drawn. The ids of a player's bets are in
# the order in which they were counted, because the rows of the players are locked first.

LOCK_PLAYERS = """
SELECT id FROM users WHERE id IN (SELECT CAST(key AS BIGINT) FROM {pairs}(:payouts) AS share)
ORDER BY id FOR UPDATE
"""
"""For PostgreSQL. The rows are locked in this order."""

_PAYOUT = "CAST(share.value AS BIGINT)"

SETTLE_SEATS = f"""
UPDATE users SET
    balance_cents = balance_cents + {_PAYOUT},
    balance_version = balance_version + 1,
    battle_seats_cents = battle_seats_cents - :wager_cents,
    wagered_cents = wagered_cents + :wager_cents,
    earned_cents = earned_cents + {_PAYOUT},
    theoretical_loss_ucents = theoretical_loss_ucents + CAST(:wager_cents AS BIGINT) * :counted_edge_ppm,
    {SUMS.replace(":payout_cents", _PAYOUT)}
FROM {{pairs}}(:payouts) AS share WHERE users.id = CAST(share.key AS BIGINT)
"""  # noqa: S608  # constants
"""Pay the players, and count their seats as bets of the moment of the end.

The other parameters are those of a bet: ``:wager_cents`` (what a seat cost), ``:counted_edge_ppm``,
``:created_at_ms`` (the end), and ``:day``, ``:week`` and ``:month``, the beginnings of its periods.
"""

INSERT_SEAT_BETS = f"""
INSERT INTO bets (
    user_id, game, nonce, ledger_transaction_id, algorithm, wager_cents, payout_cents, status, item,
    client_seed, server_seed_commitment, server_seed, created_at_ms, proof_due_at_ms, proof_delivered_at_ms,
    counted_edge_ppm
)
SELECT
    battle_seats.user_id, '{BATTLE}', -battle_seats.id, :transaction_id, '{BATTLE_1}', :wager_cents,
    {_PAYOUT}, CASE WHEN {_PAYOUT} > :wager_cents THEN 'won' ELSE 'lost' END, item.value,
    battle_seats.client_seed, :commitment, :server_seed, :created_at_ms, :created_at_ms, :created_at_ms,
    :counted_edge_ppm
FROM battle_seats
    JOIN {{pairs}}(:payouts) AS share ON CAST(share.key AS BIGINT) = battle_seats.user_id
    JOIN {{pairs}}(:items) AS item ON item.key = share.key
WHERE battle_seats.battle_id = :battle_id AND battle_seats.left_at_ms IS NULL
ORDER BY battle_seats.user_id
RETURNING id
"""  # noqa: S608  # constants
"""Write the bets of the battle ``:battle_id``, which were paid by the ledger transaction ``:transaction_id``.

``:commitment`` and ``:server_seed`` are the battle's.
"""

MARK_SEATS = """
UPDATE battle_seats SET
    bet_id = bets.id,
    after_nonce = (
        SELECT COALESCE(MAX(earlier.nonce), 0) FROM bets AS earlier
        WHERE earlier.user_id = battle_seats.user_id AND earlier.nonce > 0
    )
FROM bets
WHERE battle_seats.battle_id = :battle_id AND battle_seats.left_at_ms IS NULL
    AND bets.user_id = battle_seats.user_id AND bets.nonce = -battle_seats.id
"""
"""Give the seats their bets, and their places among the players' other bets."""

COUNT_SEAT_BETS = f"""
INSERT INTO live_bet_counts (shard, bets, high_rolls)
SELECT user_id - user_id / {LIVE_BET_SHARDS} * {LIVE_BET_SHARDS} AS its_shard,
    SUM(CAST(is_shown AS INTEGER)), SUM(CAST(is_shown AND {HIGH_ROLL.sql} AS INTEGER))
FROM (
    SELECT users.id AS user_id, suspended_at_ms IS NULL AS is_shown,
        CAST(:wager_cents AS BIGINT) AS wager_cents, {_PAYOUT} AS payout_cents
    FROM users JOIN {{pairs}}(:payouts) AS share ON users.id = CAST(share.key AS BIGINT)
) AS bet
WHERE TRUE GROUP BY 1 ORDER BY 1
ON CONFLICT (shard) DO UPDATE SET
    bets = live_bet_counts.bets + EXCLUDED.bets,
    high_rolls = live_bet_counts.high_rolls + EXCLUDED.high_rolls
"""  # noqa: S608  # constants
"""Add these bets to the counts of the live bets, as 0 if the player is suspended.

Players share these rows, so this comes last.
"""

REFUND_SEAT = """
UPDATE users SET
    balance_cents = balance_cents + :wager_cents,
    balance_version = balance_version + 1,
    battle_seats_cents = battle_seats_cents - :wager_cents
WHERE id = :user_id
"""  # constants
"""Return what a player has paid for a seat: ``:user_id`` and ``:wager_cents``. It was never a wager."""
