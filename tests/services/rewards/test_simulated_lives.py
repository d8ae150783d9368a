"""A million lives of colluding accounts: on average no class of strategies makes an income of rewards.

A life is one to six accounts of a person. They bet, claim, deposit and withdraw at random moments of some
days, and claim everything in the week after that. The rules of rewards compute what is given. In place of
random payouts each bet has its expected one, an exact fraction, so the gain of a life is the expectation of
its strategy and has no error of sampling.

Modelled: spins at the thresholds of the upgrader, cases of several house edges, battles between the
accounts, rakeback, the dearest gifts of levels that an import accepts, a daily opening of a case that pays
just what is allowed, bonuses of deposits with withdrawals, and commissions in a ring of promo codes. Where a
rule depends on more than that, the person has the best of it: coins never run out, every deposit has its
bonus, and an owner's commission is that of one who has lost all wagers.

Not modelled: the gift for the use of a promo code and its free opening, which the contract gives whatever is
bet; what staff grant; fees of payments; and decisions by the outcome of a bet, which
test_rewards_and_the_house.py searches.
"""

from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from services.bets.rolls import ROLL_RANGE, threshold
from services.rewards import bonuses
from services.rewards.bonuses import Bonuses
from services.rewards.daily import most_for
from services.rewards.expected_wins import DAYS
from services.rewards.importing import most_up_to
from services.rewards.level_gifts import is_earned
from services.rewards.rakeback import CLAIMED_EVERY_MS, rakeback_of
from services.shared.clock import DAY_MS
from services.wallet.affiliates import PERCENT_OF_UCENTS, Overview, rate_percent
from settings import HIGHEST_COMMISSION_PPM, MOST_GIVEN_PPM, Settings

LIVES = 170_000
"""Of each class, times the effort: with six classes more than a million."""

HOUSES = 40
MOST_ACCOUNTS = 6
MOST_DAYS = 10
WAGERS = (7, 99, 1_00, 20_00, 999_99, 40_000_00)
MULTIPLES = (1.01, 2, 10, 1_000)
EDGES = (0, 0.1, 0.5, 1, 2)
"""House edges of cases, as multiples of the upgrader's."""
LEVELS = (1, 2, 5, 20)
PER_PPM = ROLL_RANGE // 10**6
"""Expected payouts are counted in parts of a cent, ROLL_RANGE of them."""

STRATEGIES = {
    "spins": ("spin",),
    "cases": ("open",),
    "battles": ("battle", "open"),
    "bonuses": ("spin", "open", "deposit", "withdraw"),
    "codes": ("spin", "open", "deposit", "withdraw", "commission"),
    "everything": ("spin", "open", "battle", "deposit", "withdraw", "commission"),
}
"""What the accounts do at random. All of them claim rakeback, gifts of levels and daily openings."""


class House:
    """The rules of a platform whose settings the start accepts."""

    def __init__(self, random: Random, directory: Path) -> None:
        self.edge_ppm = random.choice((1_000, 10_000, 50_000, 200_000))
        cuts = sorted(random.randint(0, MOST_GIVEN_PPM - HIGHEST_COMMISSION_PPM) for _ in range(3))
        bounds = [0, *cuts, MOST_GIVEN_PPM - HIGHEST_COMMISSION_PPM]
        shares = [after - before for before, after in pairwise(bounds)]
        names = ("RAKEBACK_RATE", "LEVEL_SHARE", "DAILY_SHARE", "BONUS_SHARE")
        env = {name: f"{share / 10**6:f}" for name, share in zip(names, shares, strict=True)}
        env["UPGRADER_HOUSE_EDGE"] = f"{self.edge_ppm / 10**6:f}"
        earned = self.edge_ppm * shares[-1]
        # A factor of at most 1000.
        if earned >= 10**9:
            env["BONUS_WAGERING"] = f"{-(-(10**18) // earned) / 10**6:f}"
            env |= {"BONUS_PERCENT": "100", "BONUS_MAX": random.choice(("0.01", "1", "100"))}
        self.settings = Settings.from_env(env, instance_dir=directory)
        self.terms = Bonuses(self.settings, clock=lambda: 0)
        self.edges_ppm = [int(self.edge_ppm * times) for times in EDGES]
        most = [most_up_to(level, self.settings) for level in LEVELS]
        self.gifts = {
            level: up_to - before for level, up_to, before in zip(LEVELS, most, [0, *most], strict=False)
        }


@dataclass(slots=True)
class Claimed:
    """What the rules read of the row of a rakeback or of a bonus."""

    theoretical_loss_ucents: int
    changed_at_ms: int = 0
    coins_cents: int = 0
    needed_ucents: int = 0
    expires_at_ms: int = 0


@dataclass(slots=True)
class Account:
    """What the rules read of a player, and what the account was given."""

    wagered_cents: int = 0
    theoretical_loss_ucents: int = 0
    earned_cents: int = 0
    """Always 0: all is lost, for the highest commission."""
    granted_experience: int = 0
    rakeback: Claimed | None = None
    bonus: Claimed | None = None
    gifts: dict[int, int] = field(default_factory=dict)
    wins: list[int] = field(default_factory=lambda: [0] * DAYS)
    """Expected wins of the last days, the oldest first; the last one is that of today."""
    deposited: int = 0
    withdrawn: int = 0
    commission: int = 0
    """What the account has claimed for its referral."""


class Life:
    """Some accounts of one person. ``gain`` is what their strategy expects, in parts of a cent."""

    def __init__(self, random: Random, house: House, actions: tuple[str, ...]) -> None:
        self._random = random
        self._house = house
        self._actions = [getattr(self, f"_{action}") for action in actions]
        least = 2 if "battle" in actions or "commission" in actions else 1
        self._accounts = [Account() for _ in range(random.randint(least, MOST_ACCOUNTS))]
        self._earns_commission = "commission" in actions
        self._now = DAY_MS
        self.gain = 0

    def live(self) -> None:
        """Play for some days, then claim what is left."""
        random = self._random
        for _ in range(random.randint(1, MOST_DAYS)):
            midnight = self._now - self._now % DAY_MS + DAY_MS
            for _ in range(random.randint(0, 4)):
                self._now = random.randrange(self._now, midnight)
                account = random.choice(self._accounts)
                random.choice(self._actions)(account)
                if random.random() < 0.3:
                    self._claim(account)
            self._end_day(midnight)
        self._now += CLAIMED_EVERY_MS
        for account in self._accounts:
            self._claim(account)
            if self._earns_commission:
                self._commission(account)
        for _ in range(DAYS):
            self._end_day(self._now + DAY_MS)

    @property
    def cost(self) -> int:
        """What the house expects to win with the bets, in parts of a cent."""
        return sum(account.theoretical_loss_ucents for account in self._accounts) * PER_PPM

    def _give(self, cents: int) -> None:
        self.gain += cents * ROLL_RANGE

    # Bets

    def _spin(self, account: Account) -> None:
        wager, edge_ppm = self._wager(), self._house.edge_ppm
        price = int(wager * self._random.choice(MULTIPLES)) + 1
        wins = threshold(wager_cents=wager, price_cents=price, house_edge_ppm=edge_ppm)
        self._bet(account, wager, edge_ppm, payout=wins * price)

    def _open(self, account: Account) -> None:
        self._open_at(account, self._wager(), self._random.choice(self._house.edges_ppm))

    def _battle(self, account: Account) -> None:
        """Two accounts, of which one gets what both open: together they expect what two openings pay."""
        other = self._random.choice([each for each in self._accounts if each is not account])
        wager, edge_ppm = self._wager(), self._random.choice(self._house.edges_ppm)
        self._open_at(account, wager, edge_ppm)
        self._open_at(other, wager, edge_ppm)

    def _open_at(self, account: Account, wager: int, edge_ppm: int) -> None:
        self._bet(account, wager, edge_ppm, payout=wager * (10**6 - edge_ppm) * PER_PPM)

    def _wager(self) -> int:
        """The wager of a bet, or of many equal ones."""
        return self._random.choice(WAGERS)

    def _bet(self, account: Account, wager: int, edge_ppm: int, *, payout: int) -> None:
        self.gain += payout - wager * ROLL_RANGE
        account.wagered_cents += wager
        account.theoretical_loss_ucents += wager * edge_ppm
        account.wins[-1] += wager * edge_ppm

    # Rewards

    def _claim(self, account: Account) -> None:
        """Claim rakeback, the gifts of levels and a bonus that bets have paid for."""
        house = self._house
        rakeback = rakeback_of(account, account.rakeback, rate_ppm=house.settings.rakeback_rate_ppm)
        if rakeback.can_be_claimed(self._now):
            self._give(rakeback.available)
            account.rakeback = Claimed(account.theoretical_loss_ucents, self._now)
        for level, cost in house.gifts.items():
            if not cost or level in account.gifts:
                continue
            if is_earned(account, level, cost, account.gifts, share_ppm=house.settings.level_share_ppm):
                account.gifts[level] = cost
                self._give(cost)
        if account.bonus is not None and bonuses.is_complete(account.bonus, account):
            self._give(account.bonus.coins_cents)
            account.bonus = None

    def _end_day(self, midnight: int) -> None:
        """Begin the next day, with the daily opening that the days before it give."""
        self._now = midnight
        for account in self._accounts:
            self._give(most_for(account.wins, share_ppm=self._house.settings.daily_share_ppm))
            account.wins = [*account.wins[1:], 0]
            if account.bonus is not None and account.bonus.expires_at_ms <= midnight:
                account.bonus = None

    def _deposit(self, account: Account) -> None:
        """Deposit coins, with a bonus unless one is open."""
        credited = self._random.choice(WAGERS)
        account.deposited += credited
        amount = self._house.terms.amount_of(credited)
        if account.bonus is None and amount:
            account.bonus = Claimed(
                account.theoretical_loss_ucents,
                coins_cents=amount,
                needed_ucents=self._house.terms.needed_ucents(amount),
                expires_at_ms=self._now + self._house.settings.bonus_days * DAY_MS,
            )

    def _withdraw(self, account: Account) -> None:
        """Withdraw coins, often all that were deposited. An open bonus is paid or lost."""
        self._claim(account)
        account.bonus = None
        account.withdrawn += self._random.choice((account.deposited, *WAGERS))

    def _commission(self, account: Account) -> None:
        """Claim for the next account of the ring, which uses this one's code, as /affiliate/claim does."""
        accounts = self._accounts
        referral = accounts[(accounts.index(account) + 1) % len(accounts)]
        percent = rate_percent(account)
        earned = (referral.deposited - referral.withdrawn) * percent // 100
        cost = referral.theoretical_loss_ucents * percent // PERCENT_OF_UCENTS
        overview = Overview(
            commission_percent=percent,
            affiliates=1,
            deposited=referral.deposited,
            withdrawn=referral.withdrawn,
            earnings=max(earned, 0),
            claimable=max(min(earned, cost), 0),
            claimed=account.commission,
        )
        account.commission += overview.available
        self._give(overview.available)


@pytest.mark.thorough
@pytest.mark.security("Rewards")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_life_of_colluding_accounts_expects_an_income(strategy, effort, seed, note_figure, tmp_path):
    random = Random(f"{seed}/{strategy}")
    houses = [House(random, tmp_path) for _ in range(HOUSES)]
    gains, costs, best, most_returned = 0, 0, None, 0.0

    for _ in range(LIVES * effort):
        life = Life(random, random.choice(houses), STRATEGIES[strategy])
        life.live()
        gains, costs = gains + life.gain, costs + life.cost
        best = life.gain if best is None else max(best, life.gain)
        if life.cost:
            most_returned = max(most_returned, 1 + life.gain / life.cost)

    lives = LIVES * effort
    note_figure(
        f"rewards, {strategy}: {lives:,} lives gain {gains / lives / ROLL_RANGE / 100:,.2f} coins on average;"
        f" of what their bets cost {1 + gains / costs:.3f} comes back, {most_returned:.3f} at most"
    )
    assert gains <= 0
    assert best <= 0


def test_lives_find_an_income_where_there_is_one(tmp_path):
    """With a rakeback above the whole expected win: so the simulation sees what it looks for."""
    random = Random(1)
    house = House(random, tmp_path)
    house.settings = replace(house.settings, rakeback_rate_ppm=1_100_000)
    lives = [Life(random, house, STRATEGIES["everything"]) for _ in range(200)]

    for life in lives:
        life.live()

    assert sum(life.gain for life in lives) > 0
