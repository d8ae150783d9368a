"""A player's bets as proofs: the seeds that decided them, as far as they are revealed."""

import re
from enum import StrEnum
from typing import Any

from models.bets import Bet
from models.database import snapshot
from services import bets
from services.clock import Millis
from services.pages import Page, Place, rows_of_page
from services.statistics.games import nonces_by_time
from services.upgrader.proofs import Proofs

ALL_GAMES = "all"

NONCE = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
IN_A_SEED = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
"""What a part of a seed can be; no other text needs a look at the history."""


class Sort(StrEnum):
    """The order of a page."""

    MOST_RECENT = "most-recent"
    LEAST_RECENT = "least-recent"


ORDER = {
    Sort.MOST_RECENT: (Bet.nonce.desc(),),
    Sort.LEAST_RECENT: (Bet.nonce.asc(),),
}


def page(*, user_id: int, place: Place, sort: Sort, search: str, proofs: Proofs, now: Millis) -> Page[Bet]:
    """One page of the player's bets.

    ``search`` is part of a client seed or of a server seed whose proof is due, in any case, or an exact
    nonce. It reads the whole history of this one player; a page without a search never does.
    """
    if search:
        return _found(user_id, place, sort, search, proofs, now)
    with snapshot(within_limit=True):
        total = bets.played(user_id)
        nonces = nonces_by_time(place, total, newest_first=sort is Sort.MOST_RECENT)
        return Page(bets.with_nonces(user_id=user_id, nonces=nonces), total)


def _found(user_id: int, place: Place, sort: Sort, search: str, proofs: Proofs, now: Millis) -> Page[Bet]:
    if not IN_A_SEED.fullmatch(search):
        return Page([], 0)
    # A seed that is due but still sealed in its row is shown on a page, so a search must find it too.
    proofs.reveal_due(user_id=user_id, now=now)
    with snapshot(within_limit=True):
        query = Bet.select().where(Bet.user == user_id, _matches(search))
        total = query.count()
        return Page(rows_of_page(query, order=ORDER[sort], place=place, total=total), total)


def _matches(search: str) -> Any:
    # The column of server seeds holds those that have been revealed.
    matches = Bet.client_seed.contains(search) | Bet.server_seed.contains(search)
    if NONCE.fullmatch(search) and int(search) <= bets.MAX_NONCE:
        matches |= Bet.nonce == int(search)
    return matches
