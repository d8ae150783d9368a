"""The books of a few players: each figure as the contract defines it, computed in the simplest way.

It shares nothing with the code under test. Amounts are integer cents.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import floor, isqrt

BONUS = 20
SPECIAL_CODE = "HOUSECODE"
HOUSE_EDGE = Fraction("0.05")
"""Of all games; no case of the model has a lower one."""
DAY_MS = 24 * 3600 * 1000
PERIODS, KINDS = ("day", "week", "month"), ("wager", "loss", "deposit")
TIERS = [(10_000_000, "0.25"), (5_000_000, "0.20"), (1_000_000, "0.12"), (500_000, "0.10")]


@dataclass(frozen=True)
class ModelCase:
    """A case with two items; the payouts are what they are worth. ``is_irl``: they are prizes."""

    case_id: str
    price: int
    dear: tuple[str, int]
    cheap: tuple[str, int]
    level: int = 0
    is_free: bool = False
    is_irl: bool = False


@dataclass
class ModelPrize:
    value: int
    status: str = "kept"


@dataclass
class ModelPayment:
    """A deposit or withdrawal that the player has asked for."""

    type: str
    amount: int
    status: str


@dataclass(frozen=True)
class LimitRaise:
    """A request to raise a limit, or to remove it."""

    value: int | None
    at: int


@dataclass
class Books:
    """One player, with the figures that every answer must have."""

    balance: int
    name: str = ""
    vault: int = 0
    deadline: int | None = None
    bets: list[tuple[int, int, int]] = field(default_factory=list)
    """Time in ms, wager and payout of each bet."""

    code: str = ""
    used: str = ""
    owner: "Books | None" = None
    payments: list[tuple[str, int]] = field(default_factory=list)
    payments_before_code: int = 0
    wagered_before_code: int = 0
    asked: list[ModelPayment] = field(default_factory=list)
    deposits: list[tuple[int, int]] = field(default_factory=list)
    """Time in ms and amount of each deposit, whether recorded, asked for or credited."""
    adjusted: int = 0
    referred: list["Books"] = field(default_factory=list)
    claimed: int = 0
    free_cases: int = 0
    openings: int = 0
    prizes: list[ModelPrize] = field(default_factory=list)
    limits: dict[tuple[str, str], int] = field(default_factory=dict)
    """By kind and period."""
    raises: dict[tuple[str, str], LimitRaise] = field(default_factory=dict)
    break_until: int = 0
    suspended: bool = False

    def set_code(self, code: str, everybody: "list[Books]") -> bool:
        """Whether it succeeds."""
        if self.code or any(other.code == code for other in everybody):
            return False
        self.code = code
        return True

    def use_code(self, code: str, everybody: "list[Books]") -> bool:
        owner = next((other for other in everybody if other.code == code), None)
        if owner is self or self.used or (owner is None and code != SPECIAL_CODE):
            return False
        self.used, self.owner = code, owner
        self.balance += BONUS
        self.payments_before_code = len(self.payments)
        self.wagered_before_code = self.wagered
        if owner is not None:
            owner.referred.append(self)
        return True

    def pay(self, kind: str, amount: int, now: int) -> bool:
        if kind == "withdraw" and amount > self.balance:
            return False
        self.balance += amount if kind == "deposit" else -amount
        self.payments.append((kind, amount))
        if kind == "deposit":
            self.deposits.append((now, amount))
        return True

    def ask_for_deposit(self, amount: int, now: int) -> bool:
        if now < self.break_until or any(
            amount > limit - sum(cents for at, cents in self.deposits if at >= since(period, now))
            for (kind, period), limit in self.limits.items()
            if kind == "deposit"
        ):
            return False
        self.deposits.append((now, amount))
        self.asked.append(ModelPayment("deposit", amount, "pending"))
        return True

    def credit(self, number: int) -> bool:
        deposit = self.asked[number]
        deposit.status = "credited"
        self.balance += deposit.amount
        self.payments.append(("deposit", deposit.amount))
        return True

    def ask_for_withdrawal(self, amount: int) -> bool:
        if amount > self.balance:
            return False
        self.balance -= amount
        self.asked.append(ModelPayment("withdrawal", amount, "requested"))
        return True

    def reject(self, number: int) -> bool:
        withdrawal = self.asked[number]
        withdrawal.status = "rejected"
        self.balance += withdrawal.amount
        return True

    def pay_out(self, number: int) -> bool:
        withdrawal = self.asked[number]
        withdrawal.status = "completed"
        self.payments.append(("withdraw", withdrawal.amount))
        return True

    def waiting(self, status: str) -> list[int]:
        """The numbers of the deposits or withdrawals with this status."""
        return [number for number, each in enumerate(self.asked) if each.status == status]

    def held(self) -> int:
        """The coins of open withdrawals."""
        return sum(self.asked[number].amount for number in self.waiting("requested"))

    def adjust(self, amount: int) -> bool:
        if self.balance + amount < 0:
            return False
        self.balance += amount
        self.adjusted += amount
        return True

    def spin(self, wager: int, payout: int, now: int) -> bool:
        if wager > self.balance or not self.may_bet(wager, now):
            return False
        self.balance += payout - wager
        self.bets.append((now, wager, payout))
        return True

    def open(self, case: ModelCase, payout: int, now: int) -> bool:
        wager = 0 if case.is_free else case.price
        if case.is_free and (not self.used or self.free_cases):
            return False
        if self.level() < case.level or wager > self.balance or not self.may_bet(wager, now):
            return False
        self.balance += (0 if case.is_irl else payout) - wager
        self.bets.append((now, wager, payout))
        self.openings += 1
        self.free_cases += case.is_free
        if case.is_irl:
            self.prizes.append(ModelPrize(payout))
        return True

    def may_bet(self, wager: int, now: int) -> bool:
        room = self.room(now)
        return not self.suspended and now >= self.break_until and (room is None or wager <= room)

    def room(self, now: int) -> int | None:
        """The highest wager that the limits allow now; None without limits of bets."""
        rooms = []
        for (kind, period), limit in self.limits.items():
            if kind == "deposit":
                continue
            wagered, paid = self.sums(since(period, now))
            rooms.append(limit - (wagered if kind == "wager" else wagered - paid))
        return min(rooms, default=None)

    def sums(self, since: float) -> tuple[int, int]:
        """What was wagered and paid since then."""
        bets = [bet for bet in self.bets if bet[0] >= since]
        return sum(wager for _, wager, _ in bets), sum(payout for _, _, payout in bets)

    def limit(self, kind: str, period: str, value: int | None, now: int) -> bool:
        """Lower a limit at once, or ask to raise it."""
        key = kind, period
        current = self.limits.get(key)
        if current is not None and (value is None or value > current):
            self.raises[key] = LimitRaise(value, now)
            return True
        self.raises.pop(key, None)
        if value is not None:
            self.limits[key] = value
        return True

    def confirm(self, key: tuple[str, str], now: int) -> bool:
        asked = self.raises[key]
        if now < asked.at + DAY_MS:
            return False
        del self.raises[key]
        if asked.value is None:
            del self.limits[key]
        else:
            self.limits[key] = asked.value
        return True

    def pending(self, now: int) -> list[tuple[str, str]]:
        """The limits that were asked to be raised less than seven days ago, the oldest request first."""
        recent = [key for key, asked in self.raises.items() if now < asked.at + 7 * DAY_MS]
        return sorted(recent, key=lambda key: self.raises[key].at)

    def take_break(self, days: int, now: int) -> bool:
        until = now + days * DAY_MS
        if until < self.break_until:
            return False
        self.break_until = until
        return True

    def suspend(self, *, is_suspended: bool) -> bool:
        self.suspended = is_suspended
        return True

    def level(self) -> int:
        return isqrt(self.wagered // 10_000)

    def sell(self, prize: int) -> bool:
        if not self._move(prize, "kept", "sold"):
            return False
        self.balance += self.prizes[prize].value
        return True

    def ask_for_shipping(self, prize: int) -> bool:
        return self._move(prize, "kept", "shipping")

    def ship(self, prize: int) -> bool:
        return self._move(prize, "shipping", "shipped")

    def _move(self, prize: int, before: str, after: str) -> bool:
        if self.prizes[prize].status != before:
            return False
        self.prizes[prize].status = after
        return True

    def worth(self, *statuses: str) -> int:
        """The value of the prizes with one of these statuses."""
        return sum(prize.value for prize in self.prizes if prize.status in statuses)

    def claim(self) -> bool:
        amount = self.available()
        self.balance += amount
        self.claimed += amount
        return amount > 0

    @property
    def wagered(self) -> int:
        return sum(wager for _, wager, _ in self.bets)

    @property
    def earned(self) -> int:
        return sum(payout for _, _, payout in self.bets)

    def lock(self, amount: int, deadline: int) -> bool:
        if amount > self.balance or (self.deadline is not None and deadline < self.deadline):
            return False
        self.balance, self.vault, self.deadline = self.balance - amount, self.vault + amount, deadline
        return True

    def unlock(self, now: int) -> bool:
        if not self.vault or self.deadline > now:
            return False
        self.balance, self.vault, self.deadline = self.balance + self.vault, 0, None
        return True

    def paid(self, kind: str, *, for_owner: bool = False) -> int:
        """All payments of a kind, or those that count for the owner of the used code."""
        counted = self.payments[self.payments_before_code :] if for_owner else self.payments
        return sum(amount for what, amount in counted if what == kind)

    def rate(self) -> Fraction:
        loss = self.wagered - self.earned
        return Fraction(next((rate for bound, rate in TIERS if loss >= bound), "0.08"))

    def commission(self) -> int:
        """What this player earned for the owner of the used code."""
        deposited, withdrawn = (self.paid(kind, for_owner=True) for kind in ("deposit", "withdraw"))
        return floor((deposited - (withdrawn + BONUS)) * self.owner.rate())

    def bound(self) -> int:
        """The most that the owner of the used code can claim for this player's bets."""
        return floor((self.wagered - self.wagered_before_code) * HOUSE_EDGE * self.owner.rate())

    def me(self) -> dict:
        return {
            "balance": self.balance / 100,
            "vaultBalance": self.vault / 100,
            "vaultDeadline": self.deadline,
            "experience": self.wagered // 100,
            "affiliate": {"code": self.code, "used": self.used},
            "depositBonus": bool(self.used),
            "freeCases": self.free_cases,
        }

    def shown_limits(self, now: int) -> dict:
        shown = {
            kind: {
                period: self.limits[kind, period] / 100 if (kind, period) in self.limits else None
                for period in PERIODS
            }
            for kind in KINDS
        }
        return shown | {
            "pending": sorted(self.pending(now)),
            "exclusion": {"until": self.break_until} if self.break_until > now else None,
        }

    def summary(self, now: int) -> dict:
        starts = {period: since(period, now) for period in PERIODS} | {"total": 0}
        sums = {name: self.sums(start) for name, start in starts.items()}
        return {
            name: {"wagered": wagered / 100, "paid": paid / 100, "net": (paid - wagered) / 100}
            for name, (wagered, paid) in sums.items()
        }

    def totals(self) -> dict:
        return {
            "wagerAmount": self.wagered / 100,
            "earningAmount": self.earned / 100,
            "depositAmount": self.paid("deposit") / 100,
            "withdrawAmount": self.paid("withdraw") / 100,
        }

    def counts(self) -> tuple[int, int]:
        """The totals of games and payments."""
        return len(self.bets), len(self.payments)

    def affiliates(self) -> list[tuple]:
        """Deposited, withdraws and earned of each player, as /affiliate/stats orders them."""
        ordered = sorted(self.referred, key=lambda player: -player.commission())
        return [
            (
                player.paid("deposit", for_owner=True) / 100,
                player.paid("withdraw", for_owner=True) / 100,
                player.commission() / 100,
            )
            for player in ordered
        ]

    def earnings(self) -> int:
        return max(sum(player.commission() for player in self.referred), 0)

    def available(self) -> int:
        claimable = sum(max(min(player.commission(), player.bound()), 0) for player in self.referred)
        return max(min(self.earnings(), claimable) - self.claimed, 0)

    def payment_list(self) -> list[tuple[str, float, str]]:
        """Type, amount and status of each deposit and withdrawal that was asked for, in no order."""
        return sorted((each.type, each.amount / 100, each.status) for each in self.asked)

    def prize_list(self) -> list[tuple[float, str]]:
        """Value and status of each prize, newest first."""
        return [(prize.value / 100, prize.status) for prize in reversed(self.prizes)]

    def overview(self) -> dict:
        return {
            "commissionPercentage": float(self.rate()),
            "totalDeposits": sum(player.paid("deposit", for_owner=True) for player in self.referred) / 100,
            "totalWithdraws": sum(player.paid("withdraw", for_owner=True) for player in self.referred) / 100,
            "totalAffiliates": len(self.referred),
            "totalEarnings": self.earnings() / 100,
            "availableEarnings": self.available() / 100,
        }


def since(period: str, now: int) -> float:
    """When the current day, week (from Monday) or month began, in ms."""
    day = datetime.fromtimestamp(now / 1000, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    first = {"day": day, "week": day - timedelta(days=day.weekday()), "month": day.replace(day=1)}[period]
    return first.timestamp() * 1000


def leaders(everybody: list[Books], period: str, now: int) -> list[tuple[str, float]]:
    """Masked names and wagers of the week or month, as /leaderboard orders them; the oldest account first."""
    first = since({"weekly": "week", "monthly": "month"}[period], now)
    shown = [books for books in everybody if not books.suspended]
    wagers = [(books, sum(wager for at, wager, _ in books.bets if at >= first)) for books in shown]
    ranked = sorted((found for found in wagers if found[1]), key=lambda found: -found[1])
    return [(f"{books.name[:3]}***", wager / 100) for books, wager in ranked[:100]]


def live_bets(everybody: list[Books], until: int) -> Counter[str]:
    """How many bets were made up to this time, and how many of them are high rolls."""
    shown = [books for books in everybody if not books.suspended]
    made = [(wager, payout) for books in shown for at, wager, payout in books.bets if at <= until]
    high_rolls = sum(wager >= 5000 or payout >= 10 * wager > 0 for wager, payout in made)
    return Counter({"live-bets": len(made), "high-rolls": high_rolls})


def house(everybody: list[Books]) -> dict[str, int]:
    """The entries of the house's accounts, and the number of openings."""
    return {
        "house.bets": sum(books.wagered - books.earned for books in everybody),
        "house.payments": sum(books.paid("withdraw") - books.paid("deposit") for books in everybody),
        "house.held": sum(books.held() for books in everybody),
        "house.bonuses": -sum(BONUS for books in everybody if books.used),
        "house.affiliates": -sum(books.claimed for books in everybody),
        "house.prizes": sum(books.worth("kept", "shipping") for books in everybody),
        "house.shipped": sum(books.worth("shipped") for books in everybody),
        "house.adjustments": -sum(books.adjusted for books in everybody),
        "openings": sum(books.openings for books in everybody),
    }
