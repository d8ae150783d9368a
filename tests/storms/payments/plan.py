"""The faults of a storm of payments, in a random order in which each kind comes equally often."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.btcpay.faults import Fault
from tests.storms.payments.staff import Staff
from tests.storms.payments.strikes import Strikes

MISFORTUNE_SECONDS = 3
TEN_SECONDS = (Fault.TOO_SLOW, Fault.HELD)
"""Faults for which the platform waits in vain."""

Step = Callable[[], object]


@dataclass(frozen=True)
class Cast:
    """Those who make the faults."""

    fake: FakeBtcPay
    strikes: Strikes
    staff: Staff


ANSWERS: Sequence[tuple[str, Fault]] = (
    # The invoice may exist, come later, or not exist.
    ("create invoice", Fault.LOST_ANSWER),
    ("create invoice", Fault.NO_ANSWER),
    ("create invoice", Fault.LATE_WORK),
    ("create invoice", Fault.ERROR_AFTER),
    ("create invoice", Fault.TOO_SLOW),
    ("create invoice", Fault.REFUSED_CONNECTIONS),
    ("get invoice", Fault.STALE),
    ("get invoice", Fault.STALE),
    ("get invoice", Fault.TOO_SLOW),
    ("get invoice", Fault.UNAVAILABLE),
    ("list invoices", Fault.STALE),
    # The same of payouts, where a second one would be paid too.
    ("create payout", Fault.LOST_ANSWER),
    ("create payout", Fault.LATE_WORK),
    ("create payout", Fault.HELD),
    ("create payout", Fault.ERROR_AFTER),
    ("create payout", Fault.ERROR_BEFORE),
    ("create payout", Fault.REFUSED_CONNECTIONS),
    ("approve payout", Fault.LOST_ANSWER),
    ("approve payout", Fault.NO_ANSWER),
    ("approve payout", Fault.LATE_WORK),
    ("approve payout", Fault.ERROR_AFTER),
    ("approve payout", Fault.TOO_SLOW),
    ("cancel payout", Fault.LOST_ANSWER),
    ("cancel payout", Fault.ERROR_BEFORE),
    ("get payout", Fault.STALE),
    ("get payout", Fault.STALE),
    ("get payout", Fault.ERROR_BEFORE),
    ("list store payouts", Fault.STALE),
    ("list store payouts", Fault.SLOW),
    ("list store payouts", Fault.NO_ANSWER),
)
KILLS: Sequence[tuple[str, Fault]] = (
    ("create invoice", Fault.NONE),
    ("create invoice", Fault.NO_ANSWER),
    ("get invoice", Fault.NONE),
    ("create payout", Fault.NONE),
    ("create payout", Fault.NONE),
    ("create payout", Fault.LATE_WORK),
    ("approve payout", Fault.NONE),
    ("approve payout", Fault.NO_ANSWER),
    ("get payout", Fault.NONE),
    ("list store payouts", Fault.NONE),
)
PAUSES: Sequence[tuple[str, Fault]] = (
    ("create payout", Fault.NONE),
    ("create payout", Fault.HELD),
    ("create payout", Fault.HELD),
    ("approve payout", Fault.NONE),
    ("approve payout", Fault.HELD),
    ("get payout", Fault.NONE),
    ("create invoice", Fault.HELD),
)
RESTARTS = ("create invoice", "create payout", "approve payout", "get invoice", "get payout")


def faults(cast: Cast, count: int, random: Random, *, postgresql: bool, short: bool = False) -> list[Step]:
    """So many faults; in a ``short`` storm without those that take more than ten seconds."""
    strikes = cast.strikes
    answers = [each for each in ANSWERS if not (short and each[1] in TEN_SECONDS)]
    groups: list[list[Step]] = [
        [_answer(strikes, *each) for each in answers],
        [strikes.kill, *(_kill(strikes, *each) for each in KILLS)],
        [_rate_away(cast), _overdraft(cast), _archived(cast), _hurry(cast), _hurry(cast)],
    ]
    shares = [11, 5, 3]
    if not short:
        groups.append([*(_pause(strikes, *each) for each in PAUSES), strikes.pause])
        shares.append(2)
    if postgresql:
        groups.append([strikes.restart_database, *(_restart(strikes, each) for each in RESTARTS)])
        shares.append(3)
    chosen = random.choices(range(len(groups)), weights=shares, k=count)
    bags: list[list[Step]] = [[] for _ in groups]
    steps = []
    for number in chosen:
        if not bags[number]:
            bags[number] = random.sample(groups[number], len(groups[number]))
        steps.append(bags[number].pop())
    return steps


def _answer(strikes: Strikes, operation: str, fault: Fault) -> Step:
    return lambda: strikes.answer(operation, fault)


def _kill(strikes: Strikes, operation: str, fault: Fault) -> Step:
    return lambda: strikes.kill_in(operation, fault)


def _pause(strikes: Strikes, operation: str, fault: Fault) -> Step:
    return lambda: strikes.pause_in(operation, fault)


def _restart(strikes: Strikes, operation: str) -> Step:
    return lambda: strikes.restart_database_in(operation)


def _rate_away(cast: Cast) -> Step:
    """BTCPay knows no rate for a while: payouts can't be approved, and invoices not made."""

    def step() -> None:
        cast.strikes.counts["no rate"] += 1
        cast.fake.set_rate_available(False)
        time.sleep(MISFORTUNE_SECONDS)
        cast.fake.set_rate_available(True)

    return step


def _overdraft(cast: Cast) -> Step:
    def step() -> None:
        cast.strikes.counts["overdraft"] += 1
        cast.fake.fund(-1_000_000)
        time.sleep(MISFORTUNE_SECONDS)
        cast.fake.fund(1_000_000)

    return step


def _archived(cast: Cast) -> Step:
    def step() -> None:
        cast.strikes.counts["archived pull payment"] += 1
        cast.fake.archive_pull_payment()
        time.sleep(MISFORTUNE_SECONDS)
        cast.fake.archive_pull_payment(archived=False)

    return step


def _hurry(cast: Cast) -> Step:
    """Staff try to end withdrawals while an approval is on its way to BTCPay."""

    def step() -> None:
        cast.strikes.counts["ended by staff during the approval"] += 1
        cast.strikes.answer("approve payout", Fault.LATE_WORK)
        cast.staff.hurry()

    return step
