"""Schemas of payment methods, deposits and withdrawals."""

import marshmallow as ma

from blueprints.api.pagination import list_schema, page_query, rows, total
from blueprints.api.parameters import ALL, Unvalidated, text_choice
from models.payments import DepositStatus, WithdrawalStatus
from server.schemas import Computed, Usd, WireSchema, count, documented, epoch_ms, one_of, text
from services.payments import history
from services.payments.history import STATUSES, EntryType
from services.payments.inbox import MESSAGE_TYPES
from sockets.schemas import AddressAddedSchema

PAYMENT_ID = "8f14e45fceea167a5a36dedd4bea2543"
METHOD = "A method of GET /payments/methods"


def _optional_flag(description: str) -> ma.fields.Raw:
    metadata = documented(description, False, type="boolean")
    return ma.fields.Raw(load_default=False, metadata=metadata)


class MethodSchema(WireSchema):
    """A payment method."""

    id = text("What a request names", "btcpay")
    name = text("The name for players", "Cryptocurrency")
    min_usd = Usd("The smallest amount", 1, attribute="min_cents")
    max_usd = Usd("The largest amount", 10_000, attribute="max_cents")


class WithdrawalMethodSchema(MethodSchema):
    """A payment method for withdrawals."""

    id = text("What a request names", "BTC-CHAIN")
    name = text("The name for players", "BTC on the blockchain")
    address_hint = text("What to enter as the address", "A BTC address")


class MethodsSchema(WireSchema):
    """The methods that can be used now. A provider that does not answer is left out."""

    deposits = ma.fields.Nested(MethodSchema, many=True, required=True)
    withdrawals = ma.fields.Nested(WithdrawalMethodSchema, many=True, required=True)


class NewDepositSchema(WireSchema):
    """A deposit to make."""

    method = Unvalidated("string", METHOD, "btcpay")
    amount = Unvalidated("number", "The amount; in US dollars, with at most two decimals", 25)
    bonus = _optional_flag("Whether to take the bonus of GET /rewards with it; only true counts")


class NewWithdrawalSchema(WireSchema):
    """A withdrawal to request."""

    method = Unvalidated("string", METHOD, "BTC-CHAIN")
    amount = Unvalidated("number", "The amount; in US dollars, with at most two decimals", 25)
    forfeit_bonus = _optional_flag("Whether the open bonus may be lost; only true counts")
    to = Unvalidated("string", "The address, 1 to 256 printable characters", "bc1qexampleaddress")


class DepositSchema(WireSchema):
    """A deposit."""

    id = text("The id of the deposit", PAYMENT_ID)
    method = text(METHOD, "btcpay")
    status = text(
        "created and pending wait for the money, confirming for its confirmation; review is for staff to"
        " decide; credited, expired and failed are final",
        "pending",
        validate=one_of(*DepositStatus),
    )
    amount = Usd("What was asked for", 25, attribute="amount_cents")
    credited = Usd(
        "What was added to the balance, null before", 25, allow_none=True, attribute="credited_cents"
    )
    paid_amount = Usd(
        "What has come for certain, null while nothing is known", 25, allow_none=True, attribute="paid_cents"
    )
    checkout_url = text(
        "Where the player pays; null until the provider has answered",
        "https://pay.example.com/i/HMprBnL9BTXWuPvpoKBS6e",
        allow_none=True,
    )
    expires_at = epoch_ms(
        "Until when to pay; null as checkoutUrl", allow_none=True, attribute="expires_at_ms"
    )
    created_at = epoch_ms("When it was made", attribute="created_at_ms")


class WithdrawalSchema(WireSchema):
    """A withdrawal. It can't be cancelled."""

    id = text("The id of the withdrawal", PAYMENT_ID)
    method = text(METHOD, "BTC-CHAIN")
    status = text(
        "requested waits for approval, approved and sending for the provider; sent is on its way; completed,"
        " rejected and failed are final, and after the last two the coins are back",
        "requested",
        validate=one_of(*WithdrawalStatus),
    )
    amount = Usd("The amount", 25, attribute="amount_cents")
    to = text("The address", "bc1qexampleaddress", attribute="destination")
    txhash = text("The id of the transfer, null until it is known", "5f1e08c00ac2f0e4", allow_none=True)
    created_at = epoch_ms("When it was requested", attribute="created_at_ms")


class NewAddressSchema(WireSchema):
    """An address to add to the address book."""

    method = Unvalidated("string", METHOD, "BTC-CHAIN")
    name = Unvalidated("string", "The player's word for it, 1 to 32 characters", "My wallet")
    address = Unvalidated("string", "The address, 1 to 256 printable characters", "bc1qexampleaddress")


class AddressSchema(AddressAddedSchema):
    """An address of the caller's address book."""

    address = text("The address", "bc1qexampleaddress")
    created_at = epoch_ms("When it was added", attribute="created_at_ms")


class AddressAnswerSchema(WireSchema):
    """One address."""

    address = ma.fields.Nested(AddressSchema, required=True)


class AddressesSchema(WireSchema):
    """The caller's address book, oldest address first."""

    addresses = ma.fields.Nested(AddressSchema, many=True, required=True)
    delay_ms = count(
        "How long a new address waits, in milliseconds. With 0 withdrawals can go to any address",
        86_400_000,
    )


class DepositAnswerSchema(WireSchema):
    """One deposit."""

    deposit = ma.fields.Nested(DepositSchema, required=True)


class WithdrawalAnswerSchema(WireSchema):
    """One withdrawal."""

    withdrawal = ma.fields.Nested(WithdrawalSchema, required=True)


class PaymentsQuery(page_query()):  # type: ignore[misc]
    type = text_choice("Entries of one type only", *EntryType, default=ALL)
    status = text_choice("Entries with one status only", ALL, *STATUSES, default=ALL)


TYPE = Computed(history.type_of, "string", "`deposit` or `withdrawal`", "deposit")


class DepositEntrySchema(DepositSchema):
    """A deposit in a list."""

    type = TYPE


class WithdrawalEntrySchema(WithdrawalSchema):
    """A withdrawal in a list."""

    type = TYPE


class EntrySchema(WireSchema):
    """A deposit or a withdrawal: the fields of that one, and its type."""

    OF_TYPE = {"deposit": DepositEntrySchema(), "withdrawal": WithdrawalEntrySchema()}

    id = text("The id", PAYMENT_ID)
    type = TYPE
    method = text(METHOD, "btcpay")
    status = text("The status", "pending", validate=one_of(*STATUSES))
    amount = Usd("The amount", 25, attribute="amount_cents")
    created_at = epoch_ms("When it was made", attribute="created_at_ms")
    credited = ma.fields.Float(allow_none=True, metadata=documented("Of a deposit, as there", 25))
    paid_amount = ma.fields.Float(allow_none=True, metadata=documented("Of a deposit, as there", 25))
    checkout_url = ma.fields.String(allow_none=True, metadata=documented("Of a deposit, as there", None))
    expires_at = ma.fields.Integer(allow_none=True, metadata=documented("Of a deposit, as there", None))
    to = ma.fields.String(metadata=documented("Of a withdrawal, as there", "bc1qexampleaddress"))
    txhash = ma.fields.String(allow_none=True, metadata=documented("Of a withdrawal, as there", None))

    def dump(self, obj: object, *, many: bool | None = None) -> object:
        """Dump an entry by the schema of its type."""
        if self.many if many is None else many:
            return [self.dump(each, many=False) for each in obj]  # type: ignore[attr-defined]
        return self.OF_TYPE[history.type_of(obj)].dump(obj)  # type: ignore[arg-type]


PaymentsSchema = list_schema(
    "DepositsAndWithdrawals",
    "DepositAndWithdrawalList",
    "A page of the caller's deposits and withdrawals",
    payments=rows(EntrySchema),
    total=total("Deposits and withdrawals"),
)


class BtcPayEventSchema(WireSchema):
    """An event of BTCPay Server, with these fields among others. It only says what to look up."""

    delivery_id = text(
        "The id of the delivery; one that is known is not stored again", "3CkX8tB6Yzh4BkxKVH2Hto"
    )
    type = text("The type of the event, which does not matter", "InvoiceSettled")
    invoice_id = ma.fields.String(metadata=documented("The invoice", "HMprBnL9BTXWuPvpoKBS6e"))
    payout_id = ma.fields.String(metadata=documented("The payout", "2rXqBWxJmVGYsoLTdQZ1yX"))


class RecordedPaymentSchema(WireSchema):
    """A payment that the operator's own service has made."""

    platformid = text("The id of the player", "76561198000000001")
    usd = Usd("The amount", 25)
    chain = ma.fields.String(metadata=documented("The blockchain or network", "bitcoin"))
    asset = ma.fields.String(metadata=documented("The currency of the transfer", "BTC"))
    amount = ma.fields.String(metadata=documented("The amount of the asset, a decimal number", "0.00041"))
    txhash = ma.fields.String(
        metadata=documented("The id of the transfer, which counts once", "5f1e08c00ac2f0e4")
    )
    to = ma.fields.String(metadata=documented("The wallet that received it", "bc1qexampleaddress"))
    bonus = ma.fields.Boolean(metadata=documented("Whether the player takes the bonus of the deposit", True))


class PaymentMessageSchema(WireSchema):
    """A message of the operator's own payment service."""

    type = text("What has happened", "deposit.credited", validate=one_of(*MESSAGE_TYPES))
    data = ma.fields.Nested(RecordedPaymentSchema, required=True, metadata=documented("The payment"))
