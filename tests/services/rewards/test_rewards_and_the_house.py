"""No strategy makes an income of rewards: the best one of a small game is computed exactly."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, product
from typing import NamedTuple

import pytest
from hypothesis import assume, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from models.rewards import Reward
from models.users import User
from services.bets.rolls import ROLL_RANGE, threshold
from services.rewards import bonuses
from services.rewards.bonuses import Bonuses
from services.rewards.daily import most_for
from services.rewards.expected_wins import DAYS
from services.rewards.importing import most_up_to
from services.rewards.level_gifts import is_earned
from services.rewards.rakeback import rakeback_of
from services.rewards.shares import UCENTS_PPM, share_of
from services.wallet.affiliates import TIERS
from settings import HIGHEST_COMMISSION_PPM, Settings

STEPS = 3
BATTLE = 100_00
GAMES = ((1_00, 2, 1), (1_00, 50, 1), (BATTLE, 2, 1), (BATTLE, 50, 1), (BATTLE, 2, 10))
"""The wager, the multiple of it that is won, and by what the upgrader's house edge is divided."""


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
    has_bonus: bool = True
    """The coins were deposited with the bonus, which is open. The end, a withdrawal, loses it."""


class Game:
    """A person with two accounts, each the other's referral, who claims whenever it is best.

    Both have taken the bonus of a deposit. They bet, also where the house keeps less, and play battles
    against each other.
    """

    def __init__(self, settings):
        self.edge_ppm = settings.upgrader_house_edge_ppm
        self.settings = settings
        # The dearest gifts that an import accepts.
        first = most_up_to(1, settings)
        self.gifts = {1: first, 2: most_up_to(2, settings) - first}
        terms = Bonuses(settings, clock=lambda: 0)
        self.bonus = terms.amount_of(Account().coins)
        self.needed_ucents = terms.needed_ucents(self.bonus)

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
        for number, (wager, multiple, part) in product((0, 1), GAMES):
            account, other = accounts[number], accounts[1 - number]
            if wager > account.coins:
                continue
            price, edge_ppm = wager * multiple, self.edge_ppm // part
            wins = threshold(wager_cents=wager, price_cents=price, house_edge_ppm=edge_ppm)
            chance = Fraction(wins, ROLL_RANGE)
            lost = _wagered(account, wager, edge_ppm)
            won = lost._replace(coins=lost.coins + price)
            yield chance * self._after(won, other, steps) + (1 - chance) * self._after(lost, other, steps)
        if min(account.coins for account in accounts) >= BATTLE:
            yield self._battle(accounts, steps)

    def _battle(self, accounts, steps):
        """Each account wins with the same chance what both have opened."""
        seats = [_wagered(account, BATTLE, self.edge_ppm) for account in accounts]
        opened = 2 * BATTLE * (1_000_000 - self.edge_ppm) // 1_000_000
        won = [seat._replace(coins=seat.coins + opened) for seat in seats]
        ends = self._after(won[0], seats[1], steps), self._after(seats[0], won[1], steps)
        return sum(ends) / 2

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
        offered = Reward(theoretical_loss_ucents=0, needed_ucents=self.needed_ucents)
        is_paid = account.has_bonus and bonuses.is_complete(offered, user)
        coins += self.bonus if is_paid else 0
        commission = share_of(account.expected_win, HIGHEST_COMMISSION_PPM)
        return account._replace(
            coins=account.coins + coins + commission - account.commission,
            paid_up_to=account.expected_win,
            gifts=tuple(had.items()),
            commission=commission,
            has_bonus=account.has_bonus and not is_paid,
        )


def _wagered(account, wager, edge_ppm):
    return account._replace(
        coins=account.coins - wager,
        wagered=account.wagered + wager,
        expected_win=account.expected_win + wager * edge_ppm,
    )


def settings_with(directory, *, edge_ppm, rakeback, level, bonus=0):
    """Settings with these shares in millionths, and the largest bonus that one bet of 100 coins pays for."""
    env = {"RAKEBACK_RATE": rakeback, "LEVEL_SHARE": level, "BONUS_SHARE": bonus}
    env["UPGRADER_HOUSE_EDGE"] = edge_ppm
    env = {name: f"{part / 10**6:f}" for name, part in env.items()}
    earned = edge_ppm * bonus
    if earned >= 10**9:
        wagering = -(-(10**18) // earned)
        most = max(100_00 * 10**6 // wagering, 1)
        env |= {"BONUS_PERCENT": "100", "BONUS_MAX": f"{most / 100:.2f}"}
        env["BONUS_WAGERING"] = f"{wagering / 10**6:f}"
    return Settings.from_env(env, instance_dir=directory)


@pytest.mark.security("Rewards")
@given(
    edge_ppm=st.integers(1, 200_000),
    shares=st.tuples(*[st.integers(0, 650_000)] * 3).filter(lambda three: sum(three) <= 650_000),
)
@example(edge_ppm=50_000, shares=(200_000, 100_000, 350_000))
@hypothesis_settings(max_examples=6)
def test_the_best_strategy_with_two_accounts_gains_nothing(edge_ppm, shares, tmp_path_factory):
    rakeback, level, bonus = shares
    directory = tmp_path_factory.getbasetemp() / "instance"
    settings = settings_with(directory, edge_ppm=edge_ppm, rakeback=rakeback, level=level, bonus=bonus)

    assert Game(settings).best() == 0


@pytest.mark.security("Rewards")
@given(
    wins=st.lists(st.integers(0, 10**12), min_size=1, max_size=40),
    values=st.lists(st.integers(1, 10**6), min_size=1, max_size=10),
    share_ppm=st.integers(0, 650_000),
)
def test_daily_openings_cost_at_most_their_share_of_the_expected_win(wins, values, share_ppm):
    """Whatever is bet on which day, with the dearest case that fits opened on every one of them."""
    cost = 0
    for day in range(len(wins) + DAYS):
        most = most_for(wins[max(day - DAYS, 0) : day], share_ppm=share_ppm)
        cost += max((value for value in values if value <= most), default=0)

    assert cost * UCENTS_PPM <= sum(wins) * share_ppm


@pytest.mark.security("Rewards")
def test_a_sum_of_shares_above_the_expected_win_would_be_an_income(tmp_path, monkeypatch):
    """So the search finds a strategy where there is one."""
    monkeypatch.setattr("settings.MOST_GIVEN_PPM", 2_000_000)
    settings = settings_with(tmp_path, edge_ppm=50_000, rakeback=900_000, level=100_000)

    assert Game(settings).best() > 0


@pytest.mark.security("Rewards")
def test_a_bonus_above_the_expected_win_of_its_wagers_would_be_an_income(tmp_path):
    settings = settings_with(tmp_path, edge_ppm=50_000, rakeback=0, level=0, bonus=250_000)
    assert Game(settings).best() == 0

    # The bonus alone is 1.25 times the expected win of its wagers.
    less = replace(settings, bonus_wagering_ppm=settings.bonus_wagering_ppm // 5)

    assert Game(less).best() > 0


@pytest.mark.security("Rewards")
def test_a_bonus_for_wagers_at_any_edge_would_be_an_income(tmp_path, monkeypatch):
    settings = settings_with(tmp_path, edge_ppm=50_000, rakeback=0, level=0, bonus=250_000)

    monkeypatch.setattr(bonuses, "_paid_by_bets", lambda _, user: user.wagered_cents * 50_000)

    assert Game(settings).best() > 0


@given(
    edge_ppm=st.integers(1_000, 999_999),
    share_ppm=st.integers(1_000, 650_000),
    most=st.integers(1, 10**9),
    percent=st.integers(1, 1_000),
    credited=st.integers(1, 10**11),
)
@hypothesis_settings(max_examples=40)
def test_a_bonus_is_at_most_its_share_of_the_bets_that_it_needs(
    edge_ppm, share_ppm, most, percent, credited, tmp_path_factory
):
    # A factor of at most 1000.
    assume(edge_ppm * share_ppm >= 10**9)
    directory = tmp_path_factory.getbasetemp() / "instance"
    settings = replace(
        settings_with(directory, edge_ppm=edge_ppm, rakeback=0, level=0, bonus=share_ppm),
        bonus_percent=percent,
        bonus_max_cents=most,
    )
    terms = Bonuses(settings, clock=lambda: 0)
    amount = terms.amount_of(credited)
    needed = terms.needed_ucents(amount)

    assert 0 <= amount <= min(most, credited * percent // 100)
    assert needed < 2**63
    assert share_of(needed, share_ppm) >= amount
    reward = Reward(theoretical_loss_ucents=7, needed_ucents=needed)
    assert not needed or not bonuses.is_complete(reward, User(theoretical_loss_ucents=needed + 6))
    assert bonuses.is_complete(reward, User(theoretical_loss_ucents=needed + 7))
