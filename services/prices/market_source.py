"""Asking the market for the price of one item."""

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import requests

from services import exact_json, http_client
from services.money import Cents
from services.prices.errors import BadDocument, SourceRefuses, SourceUnavailable

MOST_BYTES = 64 * 1024
MOST_SECONDS = 10.0
US_DOLLARS = "1"

_PRICE = re.compile(r"\$([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})\.([0-9]{2})", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class MarketSource:
    """Where the market is, and how long it may take."""

    url: str
    most_seconds: float = MOST_SECONDS

    def ask(self, *, app_id: int, market_hash_name: str) -> Cents | None:
        """The lowest price of this item, else its median; None when the market has no price for it.

        Raises SourceUnavailable, BadDocument for an answer of another shape, and SourceRefuses.
        """
        question: dict[str, str | int] = {
            "appid": app_id,
            "currency": US_DOLLARS,
            "market_hash_name": market_hash_name,
        }
        try:
            with http_client.bounded(
                requests.Session(), seconds=self.most_seconds, max_bytes=MOST_BYTES
            ) as session:
                response = session.get(self.url, params=question, headers={"Accept": "application/json"})
        except http_client.ResponseTooLarge:
            raise BadDocument("the market's answer is too large") from None
        except requests.Timeout:
            raise SourceUnavailable("the market took too long") from None
        except requests.ConnectionError:
            raise SourceUnavailable("the market can't be reached, or broke off", quick=True) from None
        except requests.RequestException:
            raise SourceUnavailable("the market can't be asked") from None
        return _read(response)


def _read(response: requests.Response) -> Cents | None:
    if response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        raise SourceRefuses("the market was asked too often")
    answer = _object(response)
    # An item that the market does not know it answers with this, under whatever status.
    if answer is not None and answer.get("success") is False:
        return None
    if response.status_code != HTTPStatus.OK:
        quick = response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
        raise SourceUnavailable(f"the market answered {response.status_code}", quick=quick)
    if answer is None or answer.get("success") is not True:
        raise BadDocument("the market's answer has another shape")
    return _first_price(answer.get("lowest_price"), answer.get("median_price"))


def _object(response: requests.Response) -> dict[str, Any] | None:
    try:
        answer = exact_json.loads(response.content)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _first_price(*texts: object) -> Cents | None:
    return next((cents for cents in map(read_price, texts) if cents is not None), None)


def read_price(text: object) -> Cents | None:
    """Cents of a price such as $1,234.56; None for anything else, other currencies among it."""
    match = _PRICE.fullmatch(text) if isinstance(text, str) else None
    return Cents(int(match[1].replace(",", "") + match[2])) if match else None
