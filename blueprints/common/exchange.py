"""What is known of a request and of the answer to it, wherever in the program one looks at them."""

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

KEY = "platform.exchange"
UNKNOWN = "unknown"


@dataclass(slots=True)
class Exchange:
    """One request and its answer; lies in the request's environment."""

    request_id: str | None = None
    route: str = UNKNOWN
    """The rule that the address fits, such as /upgrader/bets/<int:nonce>."""
    is_private: bool = False
    """Whether the answer is one player's own."""


def exchange_in(environ: MutableMapping[str, Any]) -> Exchange:
    """The exchange of this environment, made if need be: a test may ask a view without the frame."""
    exchange: Exchange | None = environ.get(KEY)
    if exchange is None:
        exchange = environ[KEY] = Exchange()
    return exchange
