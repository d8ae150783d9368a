"""Whatever a few players do in whatever order, every figure they are shown is the one kept by hand.

To take in another action, add it to ``Books`` and a rule here; for another figure, a line in ``shown``.
"""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from services.clock import now_ms
from services.upgrader.spin import SpinRequest
from tests.support.bookkeeping import Books
from tests.support.outcomes import client_seed_that

START_COINS = 15_000
PRICE = 10_000
LIKELY_CENTS = 100_000
HOUR = 3_600_000

who = st.integers(0, 2)
# From the smallest, where rounding shows, to those that move an owner from one commission to the next.
cents = st.one_of(st.integers(1, 300), st.integers(1, 900_000), st.sampled_from([499_999, 500_000, 500_001]))
code = st.sampled_from(["CODE0", "code1", "CODE2"])


class Clock:
    """A clock that goes only when it is told to."""

    def __init__(self) -> None:
        self.now = now_ms()

    def __call__(self) -> int:
        return self.now


class Players(RuleBasedStateMachine):
    """Three players and their books. ``world`` is the app they play on."""

    world: "World"

    @initialize(owners=st.integers(0, 3))
    def join(self, owners):
        self.players = [self.world.new_player(coins=START_COINS) for _ in range(3)]
        self.books = [Books(balance=START_COINS * 100) for _ in range(3)]
        # Codes are for ever, and all examples of a test share one database.
        self.prefix = f"R{self.players[0].id}"
        for who in range(owners):
            self.set_code(who, f"CODE{who}")

    @rule(who=who, code=code)
    def set_code(self, who, code):
        code = self.prefix + code
        answered = self.post(who, "/affiliate/set-code", code=code)

        assert answered == self.books[who].set_code(code.upper(), self.books)

    @rule(who=who, code=code)
    def use_code(self, who, code):
        code = self.prefix + code
        answered = self.post(who, "/affiliate/use-code", code=code)

        assert answered == self.books[who].use_code(code.upper(), self.books)

    @rule(who=who, kind=st.sampled_from(["deposit", "withdraw"]), amount=cents)
    def pay(self, who, kind, amount):
        recorded = self.world.pay(self.players[who], kind, f"{amount / 100:.2f}")

        assert recorded == self.books[who].pay(kind, amount)

    @rule(who=who, wager=cents, wins=st.booleans())
    def spin(self, who, wager, wins):
        if wager <= self.books[who].balance:
            # Small wagers win too seldom for a test to wait for.
            payout = self.world.spin(self.players[who], wager, wins=wins and wager >= LIKELY_CENTS)
            self.books[who].spin(wager, payout)

    @rule(who=who, amount=cents, hours=st.integers(1, 3))
    def lock(self, who, amount, hours):
        deadline = self.world.clock.now + hours * HOUR
        answered = self.post(who, "/profile/vault/lock", amount=amount / 100, deadline=deadline)

        assert answered == self.books[who].lock(amount, deadline)

    @rule(who=who)
    def unlock(self, who):
        answered = self.post(who, "/profile/vault/unlock")

        assert answered == self.books[who].unlock(self.world.clock.now)

    @rule(hours=st.integers(1, 3))
    def time_passes(self, hours):
        self.world.clock.now += hours * HOUR

    def post(self, who, path, **body):
        answer = self.world.client.post(path, json=body, headers=self.players[who].headers)
        return answer.status_code == 200

    def get(self, who, path):
        return self.world.client.get(path, headers=self.players[who].headers).json

    def shown(self, who):
        me = self.get(who, "/auth/me")
        affiliates = self.get(who, "/affiliate/stats")
        return (
            {name: me[name] for name in self.books[who].me()},
            [(player["deposited"], player["withdraws"], player["earned"]) for player in affiliates],
            self.get(who, "/affiliate/overview"),
            self.get(who, "/stats/profile"),
            (
                self.get(who, "/stats/games")["data"]["totalGames"],
                self.get(who, "/stats/payments")["data"]["totalPayments"],
            ),
        )

    def teardown(self):
        shown = [self.shown(who) for who in range(3)]

        assert shown == [
            (books.me(), books.affiliates(), books.overview(), books.totals(), books.counts())
            for books in self.books
        ]
        assert self.world.run("ledger", "audit")["mismatches"] == 0


class World:
    """An app, its clock, and what is not done over HTTP."""

    def __init__(self, app, client, clock, new_player, run, item):
        self.app, self.client, self.clock = app, client, clock
        self.new_player, self.run, self.item = new_player, run, item

    def pay(self, player, kind, usd):
        arguments = ["payments", "record", player.platform_id, kind, usd]
        return self.app.test_cli_runner().invoke(args=arguments).exit_code == 0

    def spin(self, player, wager, *, wins):
        """Spin for the item with a seed that wins or loses; the payout."""
        coins = Fraction(wager, 100)
        seed = client_seed_that(wins, app=self.app, player=player, wager=coins, price=PRICE)
        request = SpinRequest(amount=wager / 100, item=self.item, client_seed=seed)
        upgrader = self.app.extensions["platform"].upgrader
        return upgrader.play(user_id=player.id, request=request, now=self.clock.now).bet.payout_cents


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def app(make_app, clock):
    return make_app(clock=clock)


def test_every_figure_is_the_one_kept_by_hand(app, client, clock, new_player, run, add_item):
    class OnThisDatabase(Players):
        world = World(app, client, clock, new_player, run, add_item(price=PRICE))

    run_state_machine_as_test(
        OnThisDatabase,
        settings=settings(
            max_examples=15,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
