"""A player's totals, and pages of the bets, of their seeds, and of the payments."""

import re
from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Any

from peewee import chunked, fn

from models.battles import BATTLE
from models.bets import Bet
from models.db.connection import reading, repeatable_read
from models.db.sql import contains_text
from models.payments import PaymentRecord, PaymentType
from services.accounts import users
from services.bets import lookups
from services.bets.proofs import Proofs
from services.bets.terms import GAMES
from services.shared.background import in_slices
from services.shared.clock import Millis
from services.shared.pagination import Page, Place, rows_of_page
from services.statistics import bet_order

ROWS_A_SLICE = 1_000
ALL_GAMES = "all"
NONCE_TEXT = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)

IN_A_SEED = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
"""A part of a seed looks like this. A search for any other text finds nothing."""

NONCES_A_STATEMENT = 2_000
"""Slices of a search. On SQLite a statement blocks the process: 3.4 ms for so many bets, 0.9 s for 400,000.
For 20,000 PostgreSQL has plans that take three times as long."""


@reading()
def totals(*, user_id: int) -> dict[str, int]:
    """The player's wagers, earnings, deposits and withdrawals, in cents. Raises UserNotFound."""
    user = users.get_by_id(user_id)
    payments: Any = PaymentRecord.select(PaymentRecord.type, fn.SUM(PaymentRecord.usd_cents)).where(
        PaymentRecord.user == user_id
    )
    sums = {kind: int(cents) for kind, cents in payments.group_by(PaymentRecord.type).tuples()}
    return {
        "wagered": user.wagered_cents,
        "earned": user.earned_cents,
        "deposited": sums.get(PaymentType.DEPOSIT, 0),
        "withdrawn": sums.get(PaymentType.WITHDRAWAL, 0),
    }


class GameSort(StrEnum):
    """The order of a page.

    ``least-earned`` has equal earnings, such as those of all lost bets, newest first, and after these the
    battles, first joined first. ``most-earned`` is its exact reverse, so one index serves both.
    """

    MOST_RECENT = "most-recent"
    LEAST_RECENT = "least-recent"
    MOST_EARNED = "most-earned"
    LEAST_EARNED = "least-earned"


NONCE = Bet.nonce + 0
"""An expression, so that neither database goes through the bets by nonce and fetches each for its game."""

GAME_ORDERS = {
    GameSort.MOST_RECENT: (NONCE.desc(),),
    GameSort.LEAST_RECENT: (NONCE.asc(),),
    GameSort.MOST_EARNED: (Bet.payout_cents.desc(), Bet.nonce.asc()),
    GameSort.LEAST_EARNED: (Bet.payout_cents.asc(), Bet.nonce.desc()),
}


BY_TIME = (GameSort.MOST_RECENT, GameSort.LEAST_RECENT)


def page_of_games(*, user_id: int, place: Place, sort: GameSort, search: str) -> Page[Bet]:
    """One page of the player's bets in games whose name contains the search text, in any case."""
    games = [game for game in GAMES if search.casefold() in game]
    return _page_of_games(user_id=user_id, games=games, sort=sort, place=place)


@repeatable_read(within_limit=True)
def _page_of_games(*, user_id: int, games: Collection[str], sort: GameSort, place: Place) -> Page[Bet]:
    """One page of the player's bets in these games."""
    own = Bet.user == user_id
    is_all = len(games) == len(GAMES)
    if is_all:
        battles = bet_order.count_battles(user_id)
        total = lookups.played(user_id) + battles
    else:
        own &= Bet.game.in_(list(games))
        total = Bet.select(fn.COUNT(Bet.nonce)).where(own).scalar()
    nonces: Sequence[int]
    newest_first = sort is GameSort.MOST_RECENT
    if sort not in BY_TIME or BATTLE not in games:
        # The indexes by earning contain nonce and game, so no bets are fetched.
        query = Bet.select(Bet.nonce).where(own).tuples()
        rows = rows_of_page(query, order=GAME_ORDERS[sort], place=place, total=total)
        nonces = [nonce for (nonce,) in rows]
    elif is_all:
        nonces = bet_order.page_of_all(
            user_id=user_id, place=place, total=total, battles=battles, newest_first=newest_first
        )
    else:
        others = [game for game in games if game != BATTLE]
        nonces = bet_order.page_of_battles_and(
            others, user_id=user_id, place=place, total=total, newest_first=newest_first
        )
    return Page(lookups.with_nonces(user_id=user_id, nonces=nonces), total)


class PaymentKind(StrEnum):
    """The types of payments in a list."""

    ALL = "all"
    DEPOSITS = "deposits"
    WITHDRAWS = "withdraws"


class PaymentSort(StrEnum):
    """The order of a page. Equal amounts are newest first in either order."""

    MOST_RECENT = "most-recent"
    LEAST_RECENT = "least-recent"
    HIGHEST_AMOUNT = "highest-amount"
    LOWEST_AMOUNT = "lowest-amount"


NEWEST_FIRST = (PaymentRecord.created_at_ms.desc(), PaymentRecord.id.desc())

PAYMENT_ORDERS = {
    PaymentSort.MOST_RECENT: NEWEST_FIRST,
    PaymentSort.LEAST_RECENT: (PaymentRecord.created_at_ms.asc(), PaymentRecord.id.asc()),
    PaymentSort.HIGHEST_AMOUNT: (PaymentRecord.usd_cents.desc(), *NEWEST_FIRST),
    PaymentSort.LOWEST_AMOUNT: (PaymentRecord.usd_cents.asc(), *NEWEST_FIRST),
}

TYPE = {PaymentKind.DEPOSITS: PaymentType.DEPOSIT, PaymentKind.WITHDRAWS: PaymentType.WITHDRAWAL}


def page_of_payments(
    *, user_id: int, place: Place, kind: PaymentKind, sort: PaymentSort, search: str
) -> Page[Any]:
    """One page of the player's payments whose txhash, chain or asset contains the search text, in any case.

    A search reads all payments of this player; other requests may run meanwhile.
    """
    condition = PaymentRecord.user == user_id
    if kind is not PaymentKind.ALL:
        condition &= PaymentRecord.type == TYPE[kind]
    query, folded = PaymentRecord.select().where(condition).namedtuples(), search.casefold()
    with repeatable_read(within_limit=True):
        if not search:
            total = query.count()
            return Page(rows_of_page(query, order=PAYMENT_ORDERS[sort], place=place, total=total), total)
        found = [
            payment
            for payment in in_slices(query.order_by(*PAYMENT_ORDERS[sort]).iterator(), ROWS_A_SLICE)
            # Not in SQL: SQLite folds the case of ASCII letters only.
            if any(folded in text.casefold() for text in (payment.txhash, payment.chain, payment.asset))
        ]
        return Page(list(place.slice(found)), len(found))


class FairnessSort(StrEnum):
    """The order of a page."""

    MOST_RECENT = "most-recent"
    LEAST_RECENT = "least-recent"


def page_of_fairness(
    *,
    user_id: int,
    place: Place,
    sort: FairnessSort,
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
        if BATTLE in games:
            nonces = bet_order.merged(nonces, _matching_battles(user_id, search))
        if sort is FairnessSort.MOST_RECENT:
            nonces.reverse()
        return Page(lookups.with_nonces(user_id=user_id, nonces=place.slice(nonces)), len(nonces))
    by_time = GameSort(sort)
    return _page_of_games(user_id=user_id, games=games, sort=by_time, place=place)


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


def _matching_battles(user_id: int, search: str) -> list[bet_order.BattlePlace]:
    """The player's bets of battles with this text in their seeds, in their order. They have no nonces."""
    if not IN_A_SEED.fullmatch(search):
        return []
    with reading():
        places = bet_order.battles_of(user_id)
    found: list[bet_order.BattlePlace] = []
    for some in in_slices(list(chunked(places, NONCES_A_STATEMENT)), 1):
        nonces = [each.nonce for each in some]
        own = (Bet.user == user_id) & Bet.nonce.between(min(nonces), max(nonces))
        with reading():
            matching = set(Bet.select(Bet.nonce).where(own, _has_in_seeds(search)).scalars())
        found += [each for each in some if each.nonce in matching]
    return found


def _has_in_seeds(search: str) -> Any:
    # Not ILIKE, which takes PostgreSQL three times as long. Server seeds are lower case.
    in_client_seed = contains_text(fn.LOWER(Bet.client_seed), fn.LOWER(search))
    # The column server_seed holds revealed seeds only.
    return in_client_seed | contains_text(Bet.server_seed, search.lower())


def _matches(search: str) -> Any:
    matches = _has_in_seeds(search)
    if NONCE_TEXT.fullmatch(search) and int(search) <= lookups.MAX_NONCE:
        matches |= Bet.nonce == int(search)
    return matches
