"""A player's games, one entry for each bet."""

from collections.abc import Collection
from enum import StrEnum

from peewee import fn

from models.bets import Bet
from models.db.connection import repeatable_read
from services.bets import lookups
from services.bets.terms import GAMES
from services.shared.pagination import Page, Place, rows_of_page


class Sort(StrEnum):
    """The order of a page.

    ``least-earned`` has equal earnings, such as those of all lost bets, newest first. ``most-earned`` is its
    exact reverse, so one index serves both.
    """

    MOST_RECENT = "most-recent"
    LEAST_RECENT = "least-recent"
    MOST_EARNED = "most-earned"
    LEAST_EARNED = "least-earned"


NONCE = Bet.nonce + 0
"""An expression, so that neither database goes through the bets by nonce and fetches each for its game."""

ORDERS = {
    Sort.MOST_RECENT: (NONCE.desc(),),
    Sort.LEAST_RECENT: (NONCE.asc(),),
    Sort.MOST_EARNED: (Bet.payout_cents.desc(), Bet.nonce.asc()),
    Sort.LEAST_EARNED: (Bet.payout_cents.asc(), Bet.nonce.desc()),
}


def page(*, user_id: int, place: Place, sort: Sort, search: str) -> Page[Bet]:
    """One page of the player's bets in games whose name contains the search text, in any case."""
    games = [game for game in GAMES if search.casefold() in game]
    return page_of_games(user_id=user_id, games=games, sort=sort, place=place)


@repeatable_read(within_limit=True)
def page_of_games(*, user_id: int, games: Collection[str], sort: Sort, place: Place) -> Page[Bet]:
    """One page of the player's bets in these games."""
    own = Bet.user == user_id
    is_all = len(games) == len(GAMES)
    if is_all:
        total = lookups.played(user_id)
    else:
        own &= Bet.game.in_(list(games))
        total = Bet.select(fn.COUNT(Bet.nonce)).where(own).scalar()
    if is_all and sort in (Sort.MOST_RECENT, Sort.LEAST_RECENT):
        # The nonces of all bets of a player are a range.
        nonces = place.slice(range(total, 0, -1) if sort is Sort.MOST_RECENT else range(1, total + 1))
    else:
        # The indexes by earning contain nonce and game, so no bets are fetched.
        query = Bet.select(Bet.nonce).where(own).tuples()
        nonces = [nonce for (nonce,) in rows_of_page(query, order=ORDERS[sort], place=place, total=total)]
    return Page(lookups.with_nonces(user_id=user_id, nonces=nonces), total)
