"""A million simulated lives of players who claim at the best moments: none makes rewards an income.

A life is one to six accounts of one person, which draw their wagers, house edges and times of claims at
random. A step counts with its expectation, so luck, and stopping by it, is not drawn. Modelled are rakeback,
gifts of levels in coins, daily openings that pay all that they may, a bonus that is lost unless the bets of
the life have paid for it, and commission at the highest tier for every account. A battle against another
account counts as a bet at the upgrader's edge. Gifts of cases and grants are left out. So are the free case
and the coins of a promo code, which are no share of the expected win.
"""

import math
from dataclasses import replace
from random import Random

import pytest

from models.rewards import Reward
from models.users import User
from services.rewards import bonuses
from services.rewards.bonuses import Bonuses
from services.rewards.daily import most_for
from services.rewards.expected_wins import DAYS
from services.rewards.importing import most_up_to
from services.rewards.level_gifts import is_earned
from services.rewards.rakeback import rakeback_of
from services.rewards.shares import share_of
from settings import HIGHEST_COMMISSION_PPM, Settings

LIVES = 1_000_000
SHARES = {"RAKEBACK_RATE": "0.2", "LEVEL_SHARE": "0.1", "DAILY_SHARE": "0.1", "BONUS_SHARE": "0.25"}
BONUS = {"BONUS_PERCENT": "100", "BONUS_MAX": "100", "BONUS_WAGERING": "80"}
EDGES_PPM = (50_000, 20_000, 1_000, 0)
STRATEGIES = ("often", "once", "bonus", "battles")
FIRST_LEVELS = (1, 2, 3)


class Lives:
    """Simulates lives under these settings. Gains are in cents."""

    def __init__(self, settings, random):
        self.settings = settings
        self.random = random
        self.edge_ppm = settings.upgrader_house_edge_ppm
        self.terms = Bonuses(settings, clock=lambda: 0)
        most = [0, *(most_up_to(level, settings) for level in FIRST_LEVELS)]
        self.gifts = {level: most[level] - most[level - 1] for level in FIRST_LEVELS}

    def gain(self, strategy):
        """What one life of the strategy is expected to gain."""
        return sum(self._of_account(strategy) for _ in range(self.random.randint(1, 6)))

    def _of_account(self, strategy):
        random, user = self.random, User(wagered_cents=0, theoretical_loss_ucents=0, granted_experience=0)
        last, had, days, gain = None, {}, [0] * DAYS, 0
        bonus = self.terms.amount_of(random.randint(1, 200_00)) if strategy == "bonus" else 0
        offered = Reward(theoretical_loss_ucents=0, needed_ucents=self.terms.needed_ucents(bonus))
        for _ in range(random.randint(1, 3)):
            wager = int(100 * 10 ** random.uniform(-2, 5))
            edge_ppm = self.edge_ppm if strategy == "battles" else random.choice(EDGES_PPM)
            user.wagered_cents += wager
            user.theoretical_loss_ucents += wager * edge_ppm
            days.append(wager * edge_ppm)
            if strategy != "once":
                last, paid = self._claim(user, last, had)
                gain += paid
        last, paid = self._claim(user, last, had)
        gain += paid
        gain += sum(
            most_for(days[max(day - DAYS, 0) : day], share_ppm=self.settings.daily_share_ppm)
            for day in range(DAYS, len(days) + DAYS)
        )
        gain += bonus if bonus and bonuses.is_complete(offered, user) else 0
        gain += share_of(user.theoretical_loss_ucents, HIGHEST_COMMISSION_PPM)
        return gain - user.theoretical_loss_ucents / 10**6

    def _claim(self, user, last, had):
        paid = rakeback_of(user, last, rate_ppm=self.settings.rakeback_rate_ppm).available
        for level, cost in self.gifts.items():
            if level not in had and is_earned(
                user, level, cost, had, share_ppm=self.settings.level_share_ppm
            ):
                had[level] = cost
                paid += cost
        return Reward(theoretical_loss_ucents=user.theoretical_loss_ucents, changed_at_ms=0), paid


def mean_and_error(gains):
    mean = sum(gains) / len(gains)
    variance = sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1)
    return mean, math.sqrt(variance / len(gains))


@pytest.mark.thorough
@pytest.mark.security("Rewards")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_strategy_of_simulated_lives_gains(strategy, tmp_path, note_figure):
    settings = Settings.from_env(SHARES | BONUS, instance_dir=tmp_path)
    lives = Lives(settings, Random(strategy))

    gains = [lives.gain(strategy) for _ in range(LIVES // len(STRATEGIES))]

    mean, error = mean_and_error(gains)
    note_figure(f"{strategy}: a life gains {mean / 100:.2f} coins, with an error of {error / 100:.2f}")
    assert mean + 3 * error <= 0
    assert max(gains) <= 0


@pytest.mark.security("Rewards")
def test_simulated_lives_gain_where_the_shares_are_too_large(tmp_path):
    settings = Settings.from_env(SHARES | BONUS, instance_dir=tmp_path)
    lives = Lives(replace(settings, rakeback_rate_ppm=900_000), Random("too large"))

    mean, error = mean_and_error([lives.gain("often") for _ in range(200)])

    assert mean - 3 * error > 0
