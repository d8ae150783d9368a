"""Client seeds with a chosen outcome. Tests know the server's secret, so they can compute them."""

from itertools import count

from services.bets import rolls
from services.cases import queries as cases
from services.cases.irl import queries as irl_cases

EDGE_PPM = 50_000
READ = {
    "case": lambda case_id: [
        (item.market_hash_name, item.chance) for item in cases.get(case_id=case_id).items
    ],
    "irl": lambda case_id: [(item.name, item.ticket_width) for item in irl_cases.get(case_id=case_id).items],
}
"""The names and widths of a case, by game."""


def client_seed_that(wins, *, app, player, wager, price):
    """A client seed with which the player's next spin wins (or loses); wager and price in coins."""
    threshold = rolls.threshold(wager_cents=wager * 100, price_cents=price * 100, house_edge_ppm=EDGE_PPM)
    return _first(lambda **seeds: (rolls.roll(**seeds) < threshold) == wins, app=app, player=player)


def client_seed_that_wins(item, *, app, player, case, game="case"):
    """A client seed with which the player's next opening of this case wins this item."""
    return client_seed_among(READ[game](case), item, app=app, player=player, game=game)


def client_seed_among(held, item, *, app, player, game="case"):
    """The same for a case with these names and widths."""
    widths = [width for _, width in held]

    def wins(**seeds):
        return held[rolls.winner(rolls.ticket(game=game, **seeds), widths)][0] == item

    return _first(wins, app=app, player=player)


def _first(is_wanted, *, app, player):
    """The first client seed for which this is true of the player's next bet."""
    seed = app.extensions["services"].seeds.load(user_id=player.id)
    return next(
        candidate
        for candidate in map("seed-{}".format, count())
        if is_wanted(server_seed=seed.server_seed, client_seed=candidate, nonce=seed.nonce)
    )
