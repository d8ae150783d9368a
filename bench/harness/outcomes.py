"""Client seeds that win or lose. Tests know the server's secret, so they can compute them."""

from itertools import count

from services.fairness import rolls

EDGE_PPM = 50_000


def client_seed_that(wins, *, app, player, wager, price):
    """A client seed with which the player's next spin wins (or loses); wager and price in coins."""
    seed = app.extensions["services"].seeds.in_play(user_id=player.id)
    threshold = rolls.threshold(wager_cents=wager * 100, price_cents=price * 100, house_edge_ppm=EDGE_PPM)
    return next(
        candidate
        for candidate in map("seed-{}".format, count())
        if (rolls.roll(server_seed=seed.server_seed, client_seed=candidate, nonce=seed.nonce) < threshold)
        == wins
    )
