"""A player's games, one entry for each bet."""

from enum import StrEnum

from models.bets import Bet
from models.db.connection import snapshot
from services.games import bets
from services.shared.pagination import Page, Place, rows_of_page
from services.upgrader.spin import GAME

GAMES = (GAME,)
"""All games. A second one will need an index by game for the lists."""


class Sort(StrEnum):
    """The order of a page. Equal earnings are newest first in either order."""

    MOST_RECENT = "most-recent"
    LEAST_RECENT = "least-recent"
    MOST_EARNED = "most-earned"
    LEAST_EARNED = "least-earned"


BY_EARNING = {
    Sort.MOST_EARNED: (Bet.payout_cents.desc(), Bet.nonce.desc()),
    Sort.LEAST_EARNED: (Bet.payout_cents.asc(), Bet.nonce.desc()),
}


def page(*, user_id: int, place: Place, sort: Sort, search: str) -> Page[Bet]:
    """One page of the player's bets in games whose name contains the search text, in any case."""
    if not any(search.casefold() in game for game in GAMES):
        return Page([], 0)
    with snapshot(within_limit=True):
        total = bets.played(user_id)
        if sort in BY_EARNING:
            nonces = _nonces_by_earning(user_id, sort, place, total)
        else:
            nonces = nonces_by_time(place, total, newest_first=sort is Sort.MOST_RECENT)
        return Page(bets.with_nonces(user_id=user_id, nonces=nonces), total)


def nonces_by_time(place: Place, total: int, *, newest_first: bool) -> list[int]:
    """The nonces of one page of all bets of a player, which are always a range."""
    start, end = place.bounds(total)
    if newest_first:
        return list(range(total - start, total - end, -1))
    return list(range(start + 1, end + 1))


def _nonces_by_earning(user_id: int, sort: Sort, place: Place, total: int) -> list[int]:
    # The index contains the nonces, so skipped bets are not read.
    query = Bet.select(Bet.nonce).where(Bet.user == user_id).tuples()
    return [nonce for (nonce,) in rows_of_page(query, order=BY_EARNING[sort], place=place, total=total)]
