"""What is known about the withdrawals that are still on their way after a storm."""

from collections.abc import Iterator
from pathlib import Path

from bench.harness.btcpay.fake import FakeBtcPay
from bench.harness.btcpay.payouts import Payout
from bench.harness.payments.checks import is_on_its_way
from models.db.connection import reading
from models.leases import Lease
from models.payment_discrepancies import Discrepancy
from models.withdrawals import Withdrawal
from services.shared.clock import now_ms

LOG_LINES = 10


def described(fake: FakeBtcPay, directory: Path) -> list[str]:
    """Each such withdrawal's row, its payouts and those to its address, and what the servers logged about it.

    The logs of the servers are in ``directory``. None of it is a secret: everybody in a storm is made up.
    """
    with reading():
        stuck = list(Withdrawal.select().where(is_on_its_way()))
        general = [f"  lease: {row.__data__}" for row in Lease.select()]
        general += [f"  discrepancy: {row.__data__}" for row in Discrepancy.select()]
    lines = [line for withdrawal in stuck for line in _of_one(withdrawal, fake, directory)]
    return [*lines, f"  now: {now_ms()}", *general] if lines else []


def _of_one(withdrawal: Withdrawal, fake: FakeBtcPay, directory: Path) -> Iterator[str]:
    yield f"withdrawal {withdrawal.id} is on its way: {withdrawal.__data__}"
    for payout in fake.payouts:
        if withdrawal.id in payout.metadata.values():
            yield f"  its payout: {_shown(payout, fake)}"
        elif payout.destination == withdrawal.destination and payout.is_open:
            yield f"  open payout to its address: {_shown(payout, fake)}, {payout.metadata}"
    yield from (f"  {line}" for line in _log_lines(withdrawal.id, directory))


def _shown(payout: Payout, fake: FakeBtcPay) -> str:
    return f"{payout} had the forms {fake.state.payout_history.forms(payout.id)}"


def _log_lines(text: str, directory: Path) -> list[str]:
    """The last lines with this text of all processes, in the order of time."""
    logs = [log.read_text(errors="replace").splitlines() for log in directory.glob("server-*.log")]
    # A line begins with its time.
    return sorted(line for lines in logs for line in lines if text in line)[-LOG_LINES:]
