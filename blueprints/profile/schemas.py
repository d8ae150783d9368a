"""Schemas of the profile."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import marshmallow as ma

from blueprints.api.parameters import Text, Unvalidated
from blueprints.auth.schemas import PublicUserSchema
from server.schemas import Coins, Part, SuccessSchema, WireSchema, documented, epoch_ms, flag, text
from services.accounts.users import USERNAME

MAX_DETAIL = 120
LARGEST_TIME = 2**63 - 1
"""The largest number of the format int64."""

PHONE = re.compile(r"(\+[1-9][0-9]{6,14})?", re.ASCII)
CONTROL_CATEGORIES = {"Cc", "Zl", "Zp"}


class NotificationSchema(WireSchema):
    """A message to the player."""

    title = text("The heading", "Trade URL changed")
    message = text("The text", "The trade URL of your account was changed.")
    date = epoch_ms("When it was sent", attribute="created_at_ms")


class ReadNotificationsSchema(WireSchema):
    """What the player has read."""

    until = epoch_ms(
        "The date of the newest notification that the player has seen",
        data_key="date",
        strict=True,
        validate=ma.validate.Range(min=0, max=LARGEST_TIME),
    )


class PublicUserAnswerSchema(WireSchema):
    """A player that exists."""

    status = flag("Always true")
    user = ma.fields.Nested(PublicUserSchema, required=True)


class LockSchema(WireSchema):
    """Coins to lock, and until when."""

    # The service checks both, in the order that the contract promises.

    amount = Unvalidated(
        "number", f"What to lock; {Coins.UNIT}", 25, exclusiveMinimum=0, maximum=1_000_000_000
    )
    deadline = Unvalidated(
        "integer",
        "When it can be unlocked: within ten years, not before the one in force; Unix time in milliseconds",
        2_051_222_400_000,
        minimum=1,
        format="int64",
    )


class TradeUrlSchema(WireSchema):
    """Where a player receives trade offers."""

    url = Unvalidated(
        "string",
        "A trade-offer URL of the game platform; parameters after partner and token are dropped",
        "https://steamcommunity.com/tradeoffer/new/?partner=12345&token=aB3_x-9z",
        pattern=r"^https://[^/]+/tradeoffer/new/\?partner=[1-9][0-9]*(&|$)",
    )


class ClientSeedSchema(WireSchema):
    """The client seed of the bets that do not send one."""

    client_seed = Unvalidated(
        "string",
        "4 to 64 letters, digits, dashes and underscores",
        "my-lucky-seed",
        pattern="^[A-Za-z0-9_-]{4,64}$",
    )


class Detail(Text):
    """A line of text; spaces around it are removed."""

    def __init__(self, description: str, example: str, **options: Any) -> None:
        described = documented(f"{description}; at most {MAX_DETAIL} characters, or empty", example)
        super().__init__(required=True, metadata=described, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if any(unicodedata.category(character) in CONTROL_CATEGORIES for character in text):
            raise ma.ValidationError("must not have line breaks or control characters")
        text = text.strip()
        if len(text) > MAX_DETAIL:
            raise ma.ValidationError(f"must have at most {MAX_DETAIL} characters")
        return text


def whole_match(pattern: re.Pattern[str], problem: str) -> Callable[[str], None]:
    """A validator that matches the whole text."""

    def validate(text: str) -> None:
        if not pattern.fullmatch(text):
            raise ma.ValidationError(problem)

    return validate


class StrictBoolean(ma.fields.Boolean):
    """True or false, and nothing that only means it."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, *args, **kwargs)


class ShippingAddressSchema(WireSchema):
    """Where items are sent to."""

    class Meta:
        unknown = ma.RAISE

    address_line1 = Detail("Street and number", "1 Example Street")
    address_line2 = Detail("What follows the street", "")
    city = Detail("City", "Springfield")
    zip_code = Detail("Postal code", "12345")
    state = Detail("State or province", "")
    country = Detail("Country", "Utopia")


class DetailsSchema(WireSchema):
    """The username and the personal details. A detail that was never set is empty."""

    class Meta:
        unknown = ma.RAISE

    username = Text(
        required=True,
        validate=whole_match(USERNAME, "must be 3 to 32 letters, digits, dots, dashes and underscores"),
        metadata=documented("3 to 32 letters, digits, dots, dashes and underscores", "alice"),
    )
    first_name = Detail("First name", "Alice")
    last_name = Detail("Last name", "Example")
    phone = Detail(
        "Phone number: + and 7 to 15 digits",
        "+12025550123",
        validate=whole_match(PHONE, "must be + and 7 to 15 digits, or empty"),
    )
    shipping_address = Part(ShippingAddressSchema, required=True)


class ShippingAddressChangeSchema(ShippingAddressSchema):
    """Any part of the address."""


class DetailsChangeSchema(DetailsSchema):
    """Any of the details. An unknown key or a null is refused."""

    shipping_address = Part(ShippingAddressChangeSchema(partial=True))
    anonymous = StrictBoolean(
        attribute="is_anonymous",
        metadata=documented("Whether other players see `Hidden` and the neutral picture", True),
    )


class DetailsAnswerSchema(SuccessSchema):
    """The caller's details, without ``anonymous``."""

    data = ma.fields.Nested(DetailsSchema, required=True)


class ShownDetailsSchema(DetailsSchema):
    """The username and the personal details."""

    anonymous = ma.fields.Constant(
        True,
        metadata=documented(
            "Other players see `Hidden` and the neutral picture. Left out for other players",
            True,
            type="boolean",
        ),
    )


class ShownDetailsAnswerSchema(SuccessSchema):
    """The caller's details."""

    data = ma.fields.Nested(ShownDetailsSchema, required=True)
