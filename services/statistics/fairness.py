"""The seeds of a player's bets. Server seeds are shown only when they are revealed."""

import re
from collections.abc import Collection
from enum import StrEnum
from typing import Any

from models.bets import Bet
from models.db.connection import reading
from services.bets import lookups
from services.bets.proofs import Proofs
from services.bets.terms import GAMES
from services.shared.background import in_slices
from services.shared.clock import Millis
from services.shared.pagination import Page, Place
from services.statistics import games as games_of_player

ALL_GAMES = "all"

NONCE = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
IN_A_SEED = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
"""A part of a seed looks like this. A search for any other text finds nothing."""


class Sort(StrEnum):
    """The order of a page."""

    MOST_RECENT = "most-recent"
    LEAST_RECENT = "least-recent"


NONCES_A_STATEMENT = 1_000
"""Slices of a search. On SQLite a statement blocks the process: 2 ms for so many bets, 0.9 s for 400,000."""


def page(
    *,
    user_id: int,
    place: Place,
    sort: Sort,
    search: str,
    game: str,
    proofs: Proofs,
    now: Millis,
) -> Page[Bet]:
    """One page of the player's bets in one game, or in ALL_GAMES.

    ``search`` is part of a client seed or of a server seed whose proof is due, in any case, or an exact
    nonce. It reads all bets of this player in slices, between which other requests may run.
    """
    games = GAMES if game == ALL_GAMES else (game,)
    if search:
        # A page shows seeds that are due but not revealed in the database yet, so a search must find them.
        proofs.reveal_due(user_id=user_id, now=now)
        nonces = _matching_nonces(user_id, games, search)
        if sort is Sort.MOST_RECENT:
            nonces.reverse()
        return Page(lookups.with_nonces(user_id=user_id, nonces=place.slice(nonces)), len(nonces))
    by_time = games_of_player.Sort(sort)
    return games_of_player.page_of_games(user_id=user_id, games=games, sort=by_time, place=place)


def _matching_nonces(user_id: int, games: Collection[str], search: str) -> list[int]:
    """The nonces of the player's bets that match, in ascending order."""
    if not IN_A_SEED.fullmatch(search):
        return []
    found: list[int] = []
    newest, matches = lookups.played(user_id), Bet.game.in_(list(games)) & _matches(search)
    for first in in_slices(range(1, newest + 1, NONCES_A_STATEMENT), 1):
        last = min(first + NONCES_A_STATEMENT - 1, newest)
        own = (Bet.user == user_id) & Bet.nonce.between(first, last)
        with reading():
            rows = Bet.select(Bet.nonce).where(own, matches).order_by(Bet.nonce)
            found += [bet.nonce for bet in rows]
    return found


def _matches(search: str) -> Any:
    # The column server_seed holds revealed seeds only.
    matches = Bet.client_seed.contains(search) | Bet.server_seed.contains(search)
    if NONCE.fullmatch(search) and int(search) <= lookups.MAX_NONCE:
        matches |= Bet.nonce == int(search)
    return matches
