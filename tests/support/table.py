"""A table for spins: items of different prices, and spins that win or lose as chosen."""

from decimal import Decimal

from models.bets import Bet
from tests.harness.players import import_prices
from tests.harness.spins import play_spin
from tests.support.client_seeds import client_seed_that


class Table:
    """A table for spins, with an item for each price in coins."""

    PRICES = (2, 10, 20, 100, 1000)

    def __init__(self, app) -> None:
        self._app = app
        now = app.extensions["services"].clock()
        import_prices({f"Item of {price}": price for price in self.PRICES}, now=now)

    def spin(self, player, *, wager="1", price=10, wins=False, client_seed=None) -> Bet:
        """Play, and win or lose as chosen (by chance with a given client seed). Returns the bet."""
        amount = Decimal(wager)
        seed = client_seed or client_seed_that(wins, app=self._app, player=player, wager=amount, price=price)
        return play_spin(self._app, player, f"Item of {price}", amount=amount, client_seed=seed).bet
