"""Settled bets, with everything needed to verify them, and the prizes that were won."""

import peewee
from peewee import SQL, Check

from models.cases import Snapshot
from models.db.connection import Table
from models.ledger import LedgerTransaction
from models.users import SHOWN_AVATAR, SHOWN_NAME, User

UPGRADER_1 = """
    algorithm <> 'upgrader-1' OR (
        price_cents IS NOT NULL AND house_edge_ppm IS NOT NULL AND threshold IS NOT NULL AND roll IS NOT NULL
        AND snapshot_id IS NULL AND ticket IS NULL AND wager_cents > 0 AND price_cents > wager_cents
        AND (status = 'won') = (roll < threshold) AND (status = 'won') = (payout_cents > 0)
    )
"""
OPENINGS = """
    algorithm NOT IN ('case-1', 'irl-1') OR (
        snapshot_id IS NOT NULL AND ticket IS NOT NULL
        AND price_cents IS NULL AND house_edge_ppm IS NULL AND threshold IS NULL AND roll IS NULL
        AND (status = 'won') = (payout_cents > wager_cents)
    )
"""

BATTLES = """
    (algorithm = 'battle-1') = (nonce < 0) AND nonce <> 0
    AND (algorithm = 'battle-1') = (next_commitment IS NULL)
    AND (algorithm <> 'battle-1' OR (
        snapshot_id IS NULL AND ticket IS NULL AND price_cents IS NULL AND house_edge_ppm IS NULL
        AND threshold IS NULL AND roll IS NULL AND wager_cents > 0 AND server_seed IS NOT NULL
        AND (status = 'won') = (payout_cents > wager_cents)
    ))
"""

HIGH_ROLL = SQL("(wager_cents >= 5000 OR (wager_cents > 0 AND payout_cents >= 10 * wager_cents))")
"""50 coins wagered, or 10 times the wager paid. With literals, so that the partial index matches."""
PAID_MORE = SQL("payout_cents > wager_cents")
IS_TO_SHIP = SQL("status = 'shipping'")
"""Like HIGH_ROLL."""


class Bet(Table):
    """One settled bet of any game. Its server seed is encrypted until its proof is due.

    ``algorithm`` says how its outcome follows from its seeds, and which columns it has: a spin of the
    upgrader price, house edge, threshold and roll; an opening of a case snapshot and ticket. Of a seat in
    a battle, ``battles`` has what was drawn.
    """

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    game = peewee.CharField(max_length=16)
    # The number of the player's bet, from 1. Of a battle, which has no number, minus the id of its seat.
    nonce = peewee.BigIntegerField()
    # Each bet has one ledger transaction. The players of a battle share that of its end.
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, on_delete="RESTRICT")

    algorithm = peewee.CharField(
        max_length=16, constraints=[Check("algorithm IN ('upgrader-1', 'case-1', 'irl-1', 'battle-1')")]
    )
    # 0 for a free opening, to which a reward belongs.
    wager_cents = peewee.BigIntegerField(constraints=[Check("wager_cents >= 0")])
    payout_cents = peewee.BigIntegerField(constraints=[Check("payout_cents >= 0")])
    status = peewee.CharField(max_length=8, constraints=[Check("status IN ('won', 'lost')")])
    # The item that was wanted, or that was in the case.
    item = peewee.CharField(max_length=200)

    price_cents = peewee.BigIntegerField(null=True, constraints=[Check("price_cents > 0")])
    house_edge_ppm = peewee.IntegerField(
        null=True, constraints=[Check("house_edge_ppm BETWEEN 0 AND 999999")]
    )
    threshold = peewee.IntegerField(null=True, constraints=[Check("threshold BETWEEN 1 AND 9999999")])
    roll = peewee.IntegerField(null=True, constraints=[Check("roll BETWEEN 0 AND 9999999")])

    # The content of the case that was opened, and the opening's place in its items' ranges.
    snapshot = peewee.ForeignKeyField(Snapshot, null=True, on_delete="RESTRICT", index=False)
    ticket = peewee.BigIntegerField(null=True, constraints=[Check("ticket BETWEEN 0 AND 999999999999999999")])

    client_seed = peewee.CharField(max_length=64)
    server_seed_commitment = peewee.CharField(max_length=64)
    encrypted_server_seed = peewee.TextField(null=True)
    server_seed = peewee.CharField(max_length=64, null=True)

    request_id = peewee.CharField(max_length=64, null=True)
    request_digest = peewee.CharField(max_length=64, null=True)

    created_at_ms = peewee.BigIntegerField()
    # When the proof is due and the bet appears among the live bets.
    proof_due_at_ms = peewee.BigIntegerField()
    proof_delivered_at_ms = peewee.BigIntegerField(null=True)
    # Null until a process claims the proof, then its id, and 0 once it is released: models/proof_queries.py.
    proof_held_by = peewee.IntegerField(null=True)
    # The commitment that was announced for the next bet; null for a battle.
    next_commitment = peewee.BlobField(null=True)
    # The row of the case that was opened, in the cases of this game; null for a spin. It is no foreign key,
    # as in ``CaseSpins``.
    case_id = peewee.BigIntegerField(null=True)
    # The house edge of an opening that counts for the theoretical loss; null for a spin.
    counted_edge_ppm = peewee.IntegerField(
        null=True, constraints=[Check("counted_edge_ppm BETWEEN 0 AND 999999")]
    )

    class Meta:
        table_name = "bets"
        indexes = (
            # Two concurrent bets with the same nonce: one fails.
            (("user", "nonce"), True),
            # A server seed is used for one bet only, or for all seats of a battle.
            SQL("CREATE UNIQUE INDEX bets_by_commitment ON bets (server_seed_commitment) WHERE nonce > 0"),
            # Two concurrent bets with the same request id: one fails.
            SQL(
                "CREATE UNIQUE INDEX bets_by_request_id ON bets (user_id, request_id)"
                " WHERE request_id IS NOT NULL"
            ),
            # The live bets, newest first. With the player, so that those of suspended ones are skipped
            # without reading the bets.
            SQL("CREATE INDEX bets_by_proof_due ON bets (proof_due_at_ms, id, user_id)"),
            # A player's proofs that are not delivered.
            SQL(
                "CREATE INDEX bets_without_delivered_proof ON bets (user_id, nonce)"
                " WHERE proof_delivered_at_ms IS NULL"
            ),
            # Bets whose proofs no process has claimed: any process claims those that are overdue.
            SQL(
                "CREATE INDEX bets_unclaimed ON bets (proof_due_at_ms)"
                " WHERE proof_held_by IS NULL AND proof_delivered_at_ms IS NULL"
            ),
            # The public list of high rolls, likewise.
            SQL(f"CREATE INDEX bets_high_rolls ON bets (proof_due_at_ms, id, user_id) WHERE {HIGH_ROLL.sql}"),
            # The last openings of a case.
            SQL("CREATE INDEX bets_of_case ON bets (game, case_id, id) WHERE case_id IS NOT NULL"),
            # The best drops of a case. Few openings pay more than they cost.
            SQL(
                "CREATE INDEX bets_best_of_case ON bets (game, case_id, payout_cents, id)"
                f" WHERE case_id IS NOT NULL AND {PAID_MORE.sql}"
            ),
            # A player's games by earning; the most earned are read backwards. With the game, so that a list
            # of one game skips the bets of others without reading them.
            SQL("CREATE INDEX bets_of_player_least_earned ON bets (user_id, payout_cents, nonce DESC, game)"),
        )
        constraints = [
            Check(UPGRADER_1, "bets_upgrader_1"),
            Check(OPENINGS, "bets_openings"),
            Check(BATTLES, "bets_battle_1"),
            Check("(server_seed IS NULL) <> (encrypted_server_seed IS NULL)", "bets_one_seed"),
            Check("proof_due_at_ms >= created_at_ms", "bets_proof_due"),
        ]


_CASE = """(
    CASE game WHEN 'case' THEN (SELECT {0} FROM cases WHERE cases.id = bets.case_id)
              WHEN 'irl' THEN (SELECT {0} FROM irl_cases WHERE irl_cases.id = bets.case_id) END
)"""

SHOWN_WITH_BETS = {
    "username": f"(SELECT {SHOWN_NAME} FROM users WHERE users.id = bets.user_id)",  # noqa: S608
    "avatar": f"(SELECT {SHOWN_AVATAR} FROM users WHERE users.id = bets.user_id)",  # noqa: S608
    # A prize keeps the picture that it had; other items are shown as they are now.
    "image": """COALESCE(
        (SELECT image FROM prizes WHERE prizes.bet_id = bets.id),
        (SELECT image FROM items WHERE items.market_hash_name = bets.item),
        ''
    )""",
    "case_slug": _CASE.format("slug"),
    "case_name": _CASE.format("name"),
}
"""What public lists show with a bet from other tables: SQL for a row of ``bets``, by the columns' names.

``case_slug`` and ``case_name`` are null for a spin, and for a case that is gone.
"""


class Prize(Table):
    """An item of an opened case, with its name, image and value of that time.

    ``status`` goes from ``kept`` to ``sold``, or to ``shipping`` and then ``shipped``. Each step is one
    update guarded by the status, in the transaction that posts the value to the ledger.
    """

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    bet = peewee.ForeignKeyField(Bet, unique=True, on_delete="RESTRICT")
    name = peewee.CharField(max_length=200)
    # As in ``IrlItem``.
    image = peewee.CharField(max_length=1000)
    value_cents = peewee.BigIntegerField(constraints=[Check("value_cents >= 0")])
    status = peewee.CharField(
        max_length=8, constraints=[Check("status IN ('kept', 'sold', 'shipping', 'shipped')")]
    )
    won_at_ms = peewee.BigIntegerField()
    # Encrypted; a copy of the player's address from when shipping was requested, as JSON.
    encrypted_address = peewee.TextField(null=True)
    # How the parcel can be followed, as staff wrote it.
    tracking = peewee.CharField(max_length=200, null=True)

    class Meta:
        table_name = "prizes"
        constraints = [
            Check("(status IN ('shipping', 'shipped')) = (encrypted_address IS NOT NULL)", "prizes_address")
        ]
        indexes = (
            # A player's prizes, newest first.
            SQL("CREATE INDEX prizes_of_player ON prizes (user_id, id)"),
            # The prizes to ship, oldest first.
            SQL(f"CREATE INDEX prizes_to_ship ON prizes (id) WHERE {IS_TO_SHIP.sql}"),
        )
