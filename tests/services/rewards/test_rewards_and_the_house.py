"""No strategy makes an income of rewards: the best one of a small game is computed exactly."""

from fractions import Fraction
from functools import lru_cache
from itertools import chain, product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from models.rewards import Reward
from models.users import User
from services.bets.rolls import ROLL_RANGE, threshold
from services.rewards.importing import most_up_to
from services.rewards.level_gifts import is_earned
from services.rewards.rakeback import rakeback_of
from services.rewards.shares import share_of
from services.wallet.affiliates import TIERS
from settings import HIGHEST_COMMISSION_PPM, Settings

STEPS = 3
WAGERS = (1_00, 100_00)
MULTIPLES = (2, 50)


def test_the_rule_counts_the_highest_commission():
    assert max(percent for _, percent in TIERS) * 10_000 == HIGHEST_COMMISSION_PPM


class Account(NamedTuple):
    """One of two accounts of a person: coins and sums in cents, expected wins in millionths of them."""

    coins: int = 100_00
    wagered: int = 0
    expected_win: int = 0
    paid_up_to: int = 0
    gifts: tuple[tuple[int, int], ...] = ()
    commission: int = 0
    """What the other account has claimed for this one, its referral."""


class Game:
    """A person who bets with two accounts, each the other's referral, and claims whenever it is best."""

    def __init__(self, settings):
        self.edge_ppm = settings.upgrader_house_edge_ppm
        self.settings = settings
        # The dearest gifts that an import accepts.
        first = most_up_to(1, settings)
        self.gifts = {1: first, 2: most_up_to(2, settings) - first}

    def best(self):
        """The expected gain of the best strategy, in cents."""
        best = lru_cache(None)(self._best)
        self._next = best
        return best((Account(), Account()), STEPS) - 2 * Account().coins

    def _best(self, accounts, steps):
        bets = self._bets(accounts, steps) if steps else ()
        stop = Fraction(sum(account.coins for account in accounts))
        return max(chain([stop], bets))

    def _bets(self, accounts, steps):
        for number, wager, multiple in product((0, 1), WAGERS, MULTIPLES):
            account, other = accounts[number], accounts[1 - number]
            if wager > account.coins:
                continue
            price = wager * multiple
            wins = threshold(wager_cents=wager, price_cents=price, house_edge_ppm=self.edge_ppm)
            chance = Fraction(wins, ROLL_RANGE)
            lost = account._replace(
                coins=account.coins - wager,
                wagered=account.wagered + wager,
                expected_win=account.expected_win + wager * self.edge_ppm,
            )
            won = lost._replace(coins=lost.coins + price)
            yield chance * self._after(won, other, steps) + (1 - chance) * self._after(lost, other, steps)

    def _after(self, account, other, steps):
        """The better one of claiming everything now and of waiting."""
        claimed = self._claimed(account), self._claimed(other)
        return max(self._next(tuple(sorted(each)), steps - 1) for each in ((account, other), claimed))

    def _claimed(self, account):
        """The account with everything claimed; the commission counts as its own coins."""
        user = User(
            wagered_cents=account.wagered, theoretical_loss_ucents=account.expected_win, granted_experience=0
        )
        last = Reward(theoretical_loss_ucents=account.paid_up_to, changed_at_ms=0)
        coins = rakeback_of(user, last, rate_ppm=self.settings.rakeback_rate_ppm).available
        had = dict(account.gifts)
        for level, gift in self.gifts.items():
            if (
                gift
                and level not in had
                and is_earned(user, level, gift, had, share_ppm=self.settings.level_share_ppm)
            ):
                had[level] = gift
                coins += gift
        commission = share_of(account.expected_win, HIGHEST_COMMISSION_PPM)
        return account._replace(
            coins=account.coins + coins + commission - account.commission,
            paid_up_to=account.expected_win,
            gifts=tuple(had.items()),
            commission=commission,
        )


@pytest.mark.security("Rewards")
@given(
    edge_ppm=st.integers(1, 200_000),
    shares=st.tuples(st.integers(0, 650_000), st.integers(0, 650_000)).filter(
        lambda two: sum(two) <= 650_000
    ),
)
@hypothesis_settings(max_examples=10)
def test_the_best_strategy_with_two_accounts_gains_nothing(edge_ppm, shares, tmp_path_factory):
    rakeback, level = (f"{share / 10**6:f}" for share in shares)
    env = {"RAKEBACK_RATE": rakeback, "LEVEL_SHARE": level, "BONUS_SHARE": "0"}
    env["UPGRADER_HOUSE_EDGE"] = f"{edge_ppm / 10**6:f}"
    settings = Settings.from_env(env, instance_dir=tmp_path_factory.getbasetemp() / "instance")

    assert Game(settings).best() == 0


@pytest.mark.security("Rewards")
def test_a_sum_of_shares_above_the_expected_win_would_be_an_income(tmp_path, monkeypatch):
    """So the search finds a strategy where there is one."""
    monkeypatch.setattr("settings.MOST_GIVEN_PPM", 2_000_000)
    env = {"RAKEBACK_RATE": "0.9", "LEVEL_SHARE": "0.1", "BONUS_SHARE": "0"}

    assert Game(Settings.from_env(env, instance_dir=tmp_path)).best() > 0
