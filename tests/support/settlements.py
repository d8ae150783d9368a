"""Settlements of a player's next bet, as a game would decide it."""

from typing import Any

from models.announced_seeds import AnnouncedSeed
from models.bet_settlement import Settlement
from models.db.connection import reading
from tests.harness.players import Player
from tests.harness.spins import at

MADE_AT = at("2026-03-18 12:00")
SHARD = 7
NEXT_COMMITMENT = bytes(range(32))

SPIN = {
    "game": "upgrader",
    "algorithm": "upgrader-1",
    "wager_cents": 500,
    "item": "An item",
    "price_cents": 6_000,
    "house_edge_ppm": 50_000,
    "threshold": 791_666,
    "ledger_kind": "spin",
}
WON = {"payout_cents": 6_000, "status": "won", "roll": 791_665}
LOST = {"payout_cents": 0, "status": "lost", "roll": 791_666}


@reading()
def next_bet(player: Player, *, won: bool = True, **changes: Any) -> Settlement:
    """The settlement of a spin (5 coins for an item of 60), or with other columns."""
    of_game = {} if "game" in changes else SPIN | (WON if won else LOST)
    seed = AnnouncedSeed.get_by_id(player.id)
    return Settlement(
        **{
            "user_id": player.id,
            "token_number": 0,
            "nonce": seed.nonce,
            "server_seed_commitment": seed.server_seed_commitment,
            "encrypted_server_seed": seed.encrypted_server_seed,
            "next_commitment_hex": NEXT_COMMITMENT.hex(),
            "next_encrypted_server_seed": f"encrypted {seed.nonce + 1}",
            "client_seed": "client-seed",
            "request_id": f"request {seed.nonce}",
            "request_digest": "digest",
            "shard": SHARD,
        }
        | of_game
        | changes
    )
