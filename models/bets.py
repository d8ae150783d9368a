"""Settled bets, with everything needed to verify them."""

import peewee
from peewee import SQL, Check

from models.db.connection import Table
from models.ledger import LedgerTransaction
from models.snapshots import Snapshot
from models.users import User

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


class Bet(Table):
    """One settled bet of any game. Its server seed is encrypted until its proof is due.

    ``algorithm`` says how its outcome follows from its seeds, and which columns it has: a spin of the
    upgrader price, house edge, threshold and roll; an opening of a case snapshot and ticket.
    """

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    game = peewee.CharField(max_length=16)
    nonce = peewee.BigIntegerField(constraints=[Check("nonce >= 1")])
    # Each bet has exactly one ledger transaction.
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")

    algorithm = peewee.CharField(
        max_length=16, constraints=[Check("algorithm IN ('upgrader-1', 'case-1', 'irl-1')")]
    )
    # 0 for an opening of the free case.
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
    # Unique, because a server seed is used for one bet only.
    server_seed_commitment = peewee.CharField(max_length=64, unique=True)
    encrypted_server_seed = peewee.TextField(null=True)
    server_seed = peewee.CharField(max_length=64, null=True)

    request_id = peewee.CharField(max_length=64, null=True)
    request_digest = peewee.CharField(max_length=64, null=True)

    created_at_ms = peewee.BigIntegerField()
    # When the proof is due and the bet appears among the live bets.
    completed_at_ms = peewee.BigIntegerField()
    proof_delivered_at_ms = peewee.BigIntegerField(null=True)
    # Null until a process claims the proof, then its id, and 0 once it is released: models/proof_queries.py.
    proof_held_by = peewee.IntegerField(null=True)
    # The commitment that was announced for the next bet.
    next_commitment = peewee.BlobField(column_name="next_commitment_bytes")
    # The row of the case that was opened, in the cases of this game; null for a spin. It is no foreign key,
    # as in models/case_spins.py.
    case_id = peewee.BigIntegerField(null=True)
    # The house edge of an opening that counts for the theoretical loss; null for a spin.
    counted_edge_ppm = peewee.IntegerField(
        null=True, constraints=[Check("counted_edge_ppm BETWEEN 0 AND 999999")]
    )

    class Meta:
        table_name = "bets"
        # Two concurrent bets with the same nonce: one fails.
        indexes = ((("user", "nonce"), True),)
        constraints = [
            Check(UPGRADER_1, "bets_upgrader_1"),
            Check(OPENINGS, "bets_openings"),
            Check("(server_seed IS NULL) <> (encrypted_server_seed IS NULL)", "bets_one_seed"),
            Check("completed_at_ms >= created_at_ms", "bets_completion"),
        ]


HIGH_ROLL = SQL("(wager_cents >= 5000 OR (wager_cents > 0 AND payout_cents >= 10 * wager_cents))")
"""50 coins wagered, or 10 times the wager paid. With literals, so that the partial index matches."""

# Two concurrent bets with the same request id: one fails.
Bet.add_index(
    Bet.index(
        Bet.user,
        Bet.request_id,
        name="bets_by_request_id",
        unique=True,
        where=SQL("request_id IS NOT NULL"),
    )
)
# The live bets, newest first. With the player, so that those of suspended ones are skipped without reading
# the bets.
Bet.add_index(Bet.index(Bet.completed_at_ms, Bet.id, Bet.user, name="bets_by_completion"))
# A player's proofs that are not delivered.
Bet.add_index(
    Bet.index(
        Bet.user,
        Bet.nonce,
        name="bets_without_delivered_proof",
        where=SQL("proof_delivered_at_ms IS NULL"),
    )
)
# Bets whose proofs no process has claimed: any process claims those that are overdue.
Bet.add_index(
    Bet.index(
        Bet.completed_at_ms,
        name="bets_unclaimed",
        where=SQL("proof_held_by IS NULL AND proof_delivered_at_ms IS NULL"),
    )
)
# The public list of high rolls, likewise.
Bet.add_index(Bet.index(Bet.completed_at_ms, Bet.id, Bet.user, name="bets_high_rolls", where=HIGH_ROLL))
PAID_MORE = SQL("payout_cents > wager_cents")
"""With literals, so that the partial index matches."""

# The last openings of a case.
Bet.add_index(Bet.index(Bet.game, Bet.case_id, Bet.id, name="bets_of_case", where=SQL("case_id IS NOT NULL")))
# The best drops of a case. Few openings pay more than they cost.
Bet.add_index(
    Bet.index(
        Bet.game,
        Bet.case_id,
        Bet.payout_cents,
        Bet.id,
        name="bets_best_of_case",
        where=SQL("case_id IS NOT NULL AND payout_cents > wager_cents"),
    )
)
# A player's games by earning; the most earned are read backwards. With the game, so that a list of one game
# skips the bets of others without reading them.
Bet.add_index(
    Bet.index(Bet.user, Bet.payout_cents, Bet.nonce.desc(), Bet.game, name="bets_of_player_least_earned")
)
