"""Client seeds that win a chosen item. Tests know the server's secret, so they can compute them."""

from itertools import count

from services.cases import reading as cases
from services.fairness import tickets
from services.irl_cases import reading as irl_cases

READ = {
    "case": lambda case_id: [
        (item.market_hash_name, item.chance) for item in cases.get(case_id=case_id).items
    ],
    "irl": lambda case_id: [(item.name, item.chance_attos) for item in irl_cases.get(case_id=case_id).items],
}


def client_seed_that_wins(item, *, app, player, case, game="case"):
    """A client seed with which the player's next opening of this case wins this item."""
    return client_seed_among(READ[game](case), item, app=app, player=player, game=game)


def client_seed_among(held, item, *, app, player, game="case"):
    """The same for a case with these names and widths."""
    seed = app.extensions["services"].seeds.in_play(user_id=player.id)
    for candidate in map("seed-{}".format, count()):
        ticket = tickets.ticket(
            game=game, server_seed=seed.server_seed, client_seed=candidate, nonce=seed.nonce
        )
        name, _ = held[tickets.winner(ticket, [width for _, width in held])]
        if name == item:
            return candidate
    raise AssertionError
