"""Rows of battles for tests of what looks at battles from outside: they have no seats, and no money."""

import secrets

from models.battles import Battle
from models.db.connection import writing
from models.log import LogEntry
from tests.harness.players import create_player


def add_battle(app, *, state="open", created_at_ms, locked_at_ms=None, round_=None):
    """A row of a battle, without seats; with a round it is locked."""
    player = create_player(app)
    with writing():
        entry = LogEntry.create(text="{}") if round_ else None
        return Battle.create(
            public_id=secrets.token_urlsafe(16),
            state="locked" if round_ else state,
            version=1,
            mode="normal",
            teams="1v1",
            epoch=1,
            is_crazy=False,
            is_terminal=False,
            is_players_only=False,
            is_private=False,
            cost_cents=100,
            counted_edge_ppm=50_000,
            creator=player.id,
            commitment=secrets.token_hex(32),
            encrypted_server_seed="",
            created_at_ms=created_at_ms,
            locked_at_ms=(locked_at_ms or created_at_ms) if round_ else None,
            round=round_,
            lock_entry=entry,
        )


def end_battles():
    """Take all battles away."""
    with writing():
        Battle.delete().execute()
