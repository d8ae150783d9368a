"""The refusals of deposits and withdrawals."""

from services.shared.clock import Millis, iso_time
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


class InvalidAddressName(Refusal):
    """Not 1 to 32 characters that can be shown."""

    text = "Invalid name"


class AddressKnown(Refusal):
    """The player has this address of this method in the address book, with another name."""

    text = "You have added this address already"


class TooManyAddresses(Refusal):
    """The address book is full."""

    text = "Your address book is full"


class AddressNotFound(Refusal):
    """No entry of the player's address book has this id."""

    status = 404
    text = "Address not found"


class AddressNotAdded(Refusal):
    """A withdrawal to an address that is not in the player's address book, where it must be."""

    text = "Add this address first"


class AddressTooNew(Refusal):
    """A withdrawal to an address that was added less than ADDRESS_HOURS ago."""

    text = "This address can be used from"

    def __init__(self, *, usable_from: Millis) -> None:
        # The second in which it can be used, or the one after it.
        super().__init__(f"{type(self).text} {iso_time(Millis(usable_from + 999))}")
        self.usable_from = usable_from

    @property
    def details(self) -> dict[str, object]:
        return {"usableFrom": self.usable_from}


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
