"""Schemas of settled bets and of what proves them fair."""

import marshmallow as ma

from models.bets import Bet
from server.current_services import get_services
from server.schemas import Coins, Computed, Part, WireSchema, documented, epoch_ms, one_of, text
from services.bets.rolls import ROUND
from sockets.schemas import CLIENT_SEED, GAME, NONCE, SERVER_SEED, SERVER_SEED_COMMITMENT


def visible_server_seed(bet: Bet) -> str:
    """The server seed of a bet; empty until its proof is due."""
    services = get_services()
    return services.proofs.visible_server_seed(bet, now=services.clock())


class PublishedFairnessSchema(WireSchema):
    """The inputs of a roll or a ticket."""

    server_seed_commitment = SERVER_SEED_COMMITMENT
    server_seed = Computed(
        visible_server_seed,
        "string",
        "The server seed; empty until the proof is due",
        SERVER_SEED.metadata["examples"][0],
    )
    client_seed = CLIENT_SEED
    nonce = NONCE
    public_seed = ma.fields.Constant("", required=True, metadata=documented("Not used", "", type="string"))
    round = ma.fields.Constant(ROUND, required=True, metadata=documented("Always 0", ROUND, type="integer"))


class FairnessEntrySchema(WireSchema):
    """A settled bet."""

    id = text("The id of the entry", "18")
    game = GAME
    bet_amount = Coins("The wager", 10, attribute="wager_cents")
    payout = Coins("What was won: 0 for a lost spin", attribute="payout_cents")
    status = text("won if an opening paid more than its wager", "won", validate=one_of("won", "lost"))
    completed_at = epoch_ms("When its proof is due", attribute="proof_due_at_ms")
    pf = Part(PublishedFairnessSchema, required=True)
