"""Reading the payload of ``upgrader:spin``: its shape here, its rules in the service."""

from decimal import Decimal

from services.upgrader.errors import InvalidRequest
from services.upgrader.spin import SpinRequest

MAX_REQUEST_ID = 64


def read_spin(payload: object) -> SpinRequest:
    """A typed request. Extra keys are ignored, a null is a key left out. Raises InvalidRequest."""
    if not isinstance(payload, dict):
        raise InvalidRequest
    amount, item = payload.get("amount"), payload.get("item")
    # A boolean or a text is taken for a bad amount, which the service refuses by that name.
    if not isinstance(amount, bool | str | int | float | Decimal) or not isinstance(item, str):
        raise InvalidRequest
    price = payload.get("price")
    if price is not None and (isinstance(price, bool) or not isinstance(price, int | float | Decimal)):
        raise InvalidRequest
    return SpinRequest(
        amount=amount,
        item=item,
        client_seed=payload.get("clientSeed"),
        server_seed_commitment=payload.get("serverSeedCommitment"),
        price=price,
        request_id=_request_id(payload.get("requestId")),
    )


def _request_id(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_REQUEST_ID or not value.isprintable():
        raise InvalidRequest
    return value
