"""Checks that all imports share."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from services.shared.errors import Refusal
from services.shared.money import MAX_AMOUNT_CENTS, Cents, InvalidAmount, cents_from_price
from services.shared.names import can_be_shown, normalize_name
from services.shared.text_validation import is_storable

MAX_IMAGE = 1000

IMAGE_URL = re.compile(r"((?i:https?)://[^\s/?#\\]|/(?![/\\]))[^\x00-\x1f\x7f]*")
"""An http(s) URL or a path of this service. No control characters: browsers drop tabs and line breaks, so
"/\\t/host" is a URL of another host."""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class ImportResult:
    """How many rows were new, and how many updated something that existed."""

    created: int
    updated: int


def checked_row(row: object) -> Row:
    """The row as an object. Raises Refusal."""
    if not isinstance(row, dict):
        raise Refusal("must be an object")
    return row


def name_from(value: object, what: str, most: int) -> str:
    """A name in its normal form (``normalize_name``). Raises Refusal."""
    name = normalize_name(value) if isinstance(value, str) else ""
    if not 1 <= len(name) <= most:
        raise Refusal(f"{what} must be a text of 1 to {most} characters")
    if not can_be_shown(name):
        raise Refusal(f"{what} has characters that cannot be shown")
    return name


def image_from(value: object, what: str) -> str:
    """The URL or path of an image; empty for null. Raises Refusal."""
    image = "" if value is None else value
    if not isinstance(image, str) or len(image) > MAX_IMAGE or not is_storable(image):
        raise Refusal(f"{what} must be a text of at most {MAX_IMAGE} characters")
    if image and not IMAGE_URL.fullmatch(image):
        raise Refusal(f"{what} must be an http or https address, or a path that begins with /")
    return image


def price_from(value: object, what: str) -> Cents:
    """A price in coins: a number, or a text such as $12.40. Raises Refusal."""
    try:
        return cents_from_price(value)
    except InvalidAmount:
        most = MAX_AMOUNT_CENTS // 100
        problem = f"{what} must be a number from 0 to {most} with at most two decimals, or a text like $12.40"
        raise Refusal(problem) from None
