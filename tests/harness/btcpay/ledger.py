"""The money that has really moved: what the fake has received and paid out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any


@dataclass(frozen=True)
class Received:
    """A settled payment to an invoice."""

    invoice_id: str
    usd: Decimal
    """Rounded down to whole satoshis, so it may have many decimals."""

    txhash: str


@dataclass(frozen=True)
class Paid:
    """A payout that has left the wallet."""

    payout_id: str
    usd: Decimal
    destination: str
    txhash: str
    metadata: Mapping[str, Any]


@dataclass
class MoneyLedger:
    """Everything that moved, in order."""

    received: list[Received] = field(default_factory=list)
    paid: list[Paid] = field(default_factory=list)

    def received_usd(self, invoice_id: str) -> Decimal:
        """What has come for an invoice."""
        return sum((each.usd for each in self.received if each.invoice_id == invoice_id), Decimal(0))

    def paid_for(self, reference: str) -> list[Paid]:
        """What has been paid for whatever has this text in the payouts' metadata."""
        return [each for each in self.paid if reference in each.metadata.values()]
