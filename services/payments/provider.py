"""The port of payment providers: what the platform asks of one, and what it answers.

Amounts are US cents, times Unix milliseconds. No call takes longer than CALL_SECONDS, and none is made within
a transaction.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from models.payments import Deposit, Withdrawal
from services.shared.clock import MINUTE_MS, Millis
from services.shared.money import Cents

CALL_SECONDS = 10.0
"""The longest call."""

LOOK_SECONDS = 3.0
"""The longest call about the provider itself, for which the list of methods waits."""

USD = "USD"


class ProviderError(Exception):
    """A call that failed. The text holds neither addresses nor keys, and may be logged and stored."""

    kind: str
    """What is known, as the metrics name it."""

    def __init__(self, text: str, *, is_about_this_only: bool = False) -> None:
        super().__init__(text)
        self.is_about_this_only = is_about_this_only
        """Whether other calls may succeed: the provider works, and does not do this one."""


class Declined(ProviderError):
    """The provider has definitely not done it, and never will."""

    kind = "refused"


class OutcomeUnknown(ProviderError):
    """The provider may have done it: it answered late, not at all, or with an internal error."""

    kind = "unknown"


class NotDone(ProviderError):
    """The provider has not done it, and may do it later."""

    kind = "away"


class NotAllowed(NotDone):
    """The provider does not accept the key, or the key lacks a permission."""

    kind = "notallowed"


class InvoiceState(StrEnum):
    """Whether the player's money has come."""

    WAITING = "waiting"
    CONFIRMING = "confirming"
    SETTLED = "settled"
    EXPIRED = "expired"
    INVALID = "invalid"


@dataclass(frozen=True, kw_only=True)
class Invoice:
    """The provider's side of a deposit."""

    id: str
    order_id: str | None
    secret: str | None
    """From the metadata; an invoice that a stranger made has another or none."""
    platform_id: str | None = None
    """The player, from the metadata."""
    state: InvoiceState
    is_regular: bool
    """False for what was paid late or in part, or marked by hand."""
    label: str
    """The provider's own name of the state, for staff."""
    currency: str
    amount: Cents | None
    """What was asked for. None if it is no whole number of cents."""
    paid: Decimal | None
    """What has come for certain, in the currency and at the rate of the invoice. Not rounded. None while that
    is not known: an answer that lacks it does not mean 0."""
    checkout_url: str
    created_at: Millis
    changed_at: Millis
    """The last change that the provider has a time of."""
    expires_at: Millis
    monitored_until: Millis
    """Until then the provider watches for payments that come late."""
    chain: str = ""
    asset: str = ""
    asset_amount: str = ""
    """Of the first payment: decimal text."""
    txhash: str = ""
    """Of the first payment, with the number of the output if the provider names one: ``…-0``."""


class PayoutState(StrEnum):
    """How far a payout is. Only an approved one is paid."""

    UNAPPROVED = "unapproved"
    APPROVED = "approved"
    IN_PROGRESS = "in progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True)
class Payout:
    """The provider's side of a withdrawal."""

    id: str
    withdrawal_id: str | None
    platform_id: str | None = None
    """Both from the metadata."""
    state: PayoutState
    label: str
    revision: int
    method: str
    currency: str
    amount: Cents | None
    destination: str
    created_at: Millis
    asset: str = ""
    asset_amount: str = ""
    txhash: str = ""
    has_transfer: bool = False
    """Whether a transfer was begun, or the answer does not say."""

    @property
    def is_over(self) -> bool:
        """Whether it is cancelled and will not be paid. A transfer that was begun may still arrive."""
        return self.state is PayoutState.CANCELLED and not self.has_transfer


@dataclass(frozen=True, kw_only=True)
class Hint:
    """What a webhook is about. Nothing in it decides: the provider's API is asked."""

    delivery_id: str
    invoice_id: str | None = None
    order_id: str | None = None
    payout_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class PayoutMethod:
    """A way to be paid, and a hint for the field of the address."""

    id: str
    name: str
    address_hint: str


class Provider(ABC):
    """One payment provider.

    Calls raise Declined, OutcomeUnknown or NotDone. A call that only reads raises one of the latter two for
    any failure, and returns None for what the provider does not have.
    """

    name: str
    """Also the id of its method for deposits."""
    title: str
    """For players."""
    payout_methods: Sequence[PayoutMethod] = ()
    longest_wait_ms = 10 * MINUTE_MS
    """The longest pause between two questions about one deposit or withdrawal."""
    has_books = True
    """Whether it can list its invoices and payouts, to be reconciled with ours."""

    @abstractmethod
    def create_invoice(self, deposit: Deposit, *, platform_id: str) -> Invoice:
        """Ask for the money of a deposit. The invoice has its id and secret, and names the player."""

    @abstractmethod
    def get_invoice(self, invoice_id: str) -> Invoice | None:
        """One invoice as it is now."""

    @abstractmethod
    def find_invoices(self, deposit_id: str) -> Sequence[Invoice]:
        """All invoices with this ``orderId``, whoever made them."""

    @abstractmethod
    def list_invoices(self, *, since: Millis) -> Iterable[Invoice]:
        """All invoices made since then, with what was paid if the list says so.

        Each part of the list may take as long as a call. What can't be read is left out.
        """

    @abstractmethod
    def create_payout(self, withdrawal: Withdrawal, *, platform_id: str) -> Payout:
        """Prepare the payout of a withdrawal. It names the player, and is not paid before it is approved."""

    @abstractmethod
    def approve(self, payout: Payout) -> None:
        """Have a payout paid, in the form that ``payout`` shows.

        Raises OutcomeUnknown also if it has changed since.
        """

    @abstractmethod
    def cancel(self, payout_id: str) -> None:
        """Cancel a payout unless it is being paid. Does nothing if the provider does not have it."""

    @abstractmethod
    def get_payout(self, payout_id: str) -> Payout | None:
        """One payout as it is now."""

    @abstractmethod
    def list_payouts(self) -> Sequence[Payout]:
        """All payouts that the platform has made, cancelled ones too."""

    def about_version(self) -> tuple[list[str], list[str]]:
        """Why the provider's version can't be used, and what it is and lacks, one line each.

        Takes at most LOOK_SECONDS, as ``problems``. Raises OutcomeUnknown or NotDone.
        """
        return [], []

    @abstractmethod
    def problems(self) -> list[str]:
        """Why payouts can't be made as they are set up, one line each. Raises OutcomeUnknown or NotDone."""

    def storable(self, text: str) -> str:
        """The text of a webhook with secrets removed, for staff who may read webhooks."""
        return text

    @abstractmethod
    def is_signed(self, headers: Mapping[str, str], body: bytes) -> bool:
        """Whether a webhook comes from the provider. The names of its headers are in lower case."""

    @abstractmethod
    def read_webhook(self, body: bytes) -> Hint:
        """What a webhook is about. Raises ValueError for a body that is not the provider's."""
