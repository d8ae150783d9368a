"""The books of a few players kept by hand: what the contract says of each figure, in the plainest way.

Nothing here is shared with the code under test. Amounts are whole cents.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

BONUS = 20
TIERS = [(10_000_000, "0.25"), (5_000_000, "0.20"), (1_000_000, "0.12"), (500_000, "0.10")]


@dataclass
class Books:
    """One player: what every answer about them must say."""

    balance: int
    vault: int = 0
    deadline: int | None = None
    wagered: int = 0
    earned: int = 0
    spins: int = 0
    code: str = ""
    used: str = ""
    owner: "Books | None" = None
    payments: list[tuple[str, int]] = field(default_factory=list)
    payments_before_code: int = 0
    referred: list["Books"] = field(default_factory=list)

    def set_code(self, code: str, everybody: "list[Books]") -> bool:
        """Whether it succeeds."""
        if self.code or any(other.code == code for other in everybody):
            return False
        self.code = code
        return True

    def use_code(self, code: str, everybody: "list[Books]") -> bool:
        owner = next((other for other in everybody if other.code == code), None)
        if owner is None or owner is self or self.used:
            return False
        self.used, self.owner = code, owner
        self.balance += BONUS
        self.payments_before_code = len(self.payments)
        owner.referred.append(self)
        return True

    def pay(self, kind: str, amount: int) -> bool:
        if kind == "withdraw" and amount > self.balance:
            return False
        self.balance += amount if kind == "deposit" else -amount
        self.payments.append((kind, amount))
        return True

    def spin(self, wager: int, payout: int) -> None:
        self.balance += payout - wager
        self.wagered += wager
        self.earned += payout
        self.spins += 1

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
        """All payments of a kind, or those that count for the owner of the code that was used."""
        counted = self.payments[self.payments_before_code :] if for_owner else self.payments
        return sum(amount for what, amount in counted if what == kind)

    def rate(self) -> Fraction:
        loss = self.wagered - self.earned
        return Fraction(next((rate for bound, rate in TIERS if loss >= bound), "0.08"))

    def commission(self) -> int:
        """What this player earned the owner of the code they used."""
        deposited, withdrawn = (self.paid(kind, for_owner=True) for kind in ("deposit", "withdraw"))
        return floor((deposited - (withdrawn + BONUS)) * self.owner.rate())

    def me(self) -> dict:
        return {
            "balance": self.balance / 100,
            "vaultBalance": self.vault / 100,
            "vaultDeadline": self.deadline,
            "experience": self.wagered // 100,
            "affiliate": {"code": self.code, "used": self.used},
            "depositBonus": bool(self.used),
        }

    def totals(self) -> dict:
        return {
            "wagerAmount": self.wagered / 100,
            "earningAmount": self.earned / 100,
            "depositAmount": self.paid("deposit") / 100,
            "withdrawAmount": self.paid("withdraw") / 100,
        }

    def counts(self) -> tuple[int, int]:
        """Games and payments."""
        return self.spins, len(self.payments)

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

    def overview(self) -> dict:
        earnings = max(sum(player.commission() for player in self.referred), 0)
        return {
            "commissionPercentage": float(self.rate()),
            "totalDeposits": sum(player.paid("deposit", for_owner=True) for player in self.referred) / 100,
            "totalWithdraws": sum(player.paid("withdraw", for_owner=True) for player in self.referred) / 100,
            "totalAffiliates": len(self.referred),
            "totalEarnings": earnings / 100,
            "availableEarnings": earnings / 100,
        }
