"""Asking the market for the price of one item."""

import re
from http import HTTPStatus
from typing import Any

import requests

from services.prices.errors import BadDocument, SourceFailed
from services.prices.fetching import fetch
from services.shared import decimal_json
from services.shared.money import Cents

MAX_BYTES = 64 * 1024
TIMEOUT_SECONDS = 10.0
US_DOLLARS = "1"

_PRICE = re.compile(r"\$([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})\.([0-9]{2})", re.ASCII)


def ask(url: str, *, app_id: int, market_hash_name: str) -> Cents | None:
    """The lowest price of this item, else its median; None when the market has no price for it.

    Raises SourceFailed, and BadDocument for a response of another shape.
    """
    params = {"appid": str(app_id), "currency": US_DOLLARS, "market_hash_name": market_hash_name}
    response = fetch(url, name="the market", seconds=TIMEOUT_SECONDS, max_bytes=MAX_BYTES, params=params)
    answer = _json_object(response)
    # The market's answer for an unknown item, with various statuses.
    if answer is not None and answer.get("success") is False:
        return None
    if response.status_code != HTTPStatus.OK:
        raise SourceFailed(f"the market answered {response.status_code}")
    if answer is None or answer.get("success") is not True:
        raise BadDocument("the market's answer has another shape")
    prices = (read_price(answer.get(key)) for key in ("lowest_price", "median_price"))
    return next((cents for cents in prices if cents is not None), None)


def _json_object(response: requests.Response) -> dict[str, Any] | None:
    try:
        answer = decimal_json.loads(response.content)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def read_price(text: object) -> Cents | None:
    """The cents of a price such as $1,234.56; None for anything else, such as other currencies."""
    match = _PRICE.fullmatch(text) if isinstance(text, str) else None
    return Cents(int(match[1].replace(",", "") + match[2])) if match else None
