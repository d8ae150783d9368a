"""The refusals of deposits and withdrawals."""

from services.shared.errors import Refusal
from services.shared.money import Cents, number_from_cents


class UnknownMethod(Refusal):
    """No such payment method, or not for this direction."""

    text = "Unknown payment method"


class AmountOutsideLimits(Refusal):
    """Below the method's minimum or above its maximum."""

    text = "Amount is outside the limits of this method"


class InvalidAddress(Refusal):
    """Not 1 to 256 printable characters. Whether it exists, the provider says when the payout is made."""

    text = "Invalid address"


class InvalidIdempotencyKey(Refusal):
    """The header is not 1 to 64 printable characters."""

    text = "Invalid idempotency key"


class IdempotencyKeyReused(Refusal):
    """The player has used the key for a request with another body."""

    status = 409
    text = "Idempotency key was used for another request"


class PaymentNotFound(Refusal):
    """No deposit or withdrawal has this id, or it is another player's."""

    status = 404
    text = "Payment not found"


class DepositRefused(Refusal):
    """The provider has refused the deposit."""

    status = 502
    text = "The payment provider refused the deposit"


class DepositNotCancellable(Refusal):
    """The deposit has ended, or money has come."""

    text = "Deposit can't be cancelled"


class ProviderAway(Refusal):
    """The provider can't be reached."""

    status = 503
    text = "The payment provider is not available"
    retry_after_seconds = 30


class WagerFirst(Refusal):
    """The player has not wagered the part of the deposits that WITHDRAWAL_MIN_WAGERED demands."""

    text = "Wager your deposits first"

    def __init__(self, *, missing: Cents) -> None:
        super().__init__()
        self.missing = missing

    @property
    def details(self) -> dict[str, object]:
        return {"missing": number_from_cents(self.missing)}


class BadSignature(Refusal):
    """A webhook that the provider has not sent."""

    status = 401
    text = "Unauthorized"


class MalformedMessage(Refusal):
    """A signed message that is not as documented."""

    text = "Malformed message"


class MessageIdReused(Refusal):
    """The sender has used the id for a message with another content."""

    status = 409
    text = "Webhook id was used for another message"


class StatusChanged(Exception):
    """Another process has changed the deposit or withdrawal meanwhile; the transaction is rolled back."""
