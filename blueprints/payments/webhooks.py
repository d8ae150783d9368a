"""/webhooks: messages of payment providers and of the operator's own payment service."""

from typing import Any

import marshmallow as ma
from flask import request

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.payments.schemas import BtcPayEventSchema, PaymentMessageSchema
from server.current_services import get_services
from server.http.rate_limit import NOT_LIMITED, count_as, count_bad_signature
from server.logs import clients_log
from server.schemas import SuccessSchema
from services.payments.errors import BadSignature

blueprint = ApiBlueprint(
    "webhooks", __name__, url_prefix="/webhooks", description="Messages of payment providers"
)

ANSWER = {"success": True}


def document_body(schema: type[ma.Schema]) -> dict[str, Any]:
    """The body of a message, which is verified and stored before it is read."""
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _header(name: str, description: str, example: str) -> dict[str, Any]:
    schema = {"type": "string", "examples": [example]}
    return {"in": "header", "name": name, "required": True, "description": description, "schema": schema}


BTCPAY_SIGNATURE = _header(
    "BTCPAY-SIG",
    "`sha256=` and the HMAC of the body with BTCPAY_WEBHOOK_SECRET, in hexadecimal digits",
    "sha256=b438519edde5c8144a4f9bcec51a9d346eca6506887c2ceeae1c0092884a97b9",
)
STANDARD_HEADERS = [
    _header(
        "webhook-id",
        "The id of the message, the same when it is sent again",
        "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
    ),
    _header("webhook-timestamp", "When it was sent, in seconds; at most five minutes ago", "1795336797"),
    _header(
        "webhook-signature",
        "As the specification Standard Webhooks says",
        "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    ),
]


@blueprint.post("/btcpay")
@count_as(NOT_LIMITED)
@public
@blueprint.doc(parameters=[BTCPAY_SIGNATURE], requestBody=document_body(BtcPayEventSchema))
@blueprint.response(200, SuccessSchema)
@blueprint.alt_response(401)
def take_btcpay_webhook() -> dict[str, Any]:
    """Store a message of BTCPay Server. Only the state in its API counts, and that is asked for later.

    The header `BTCPAY-SIG` must be `sha256=` and the HMAC of the body with BTCPAY_WEBHOOK_SECRET.
    """
    services = get_services()
    try:
        services.payment_inbox.take_from_provider(
            "btcpay", _headers(), request.get_data(), now=services.clock()
        )
    except BadSignature:
        refuse_signature()
    return ANSWER


@blueprint.post("/payments")
@count_as(NOT_LIMITED)
@public
@blueprint.doc(parameters=STANDARD_HEADERS, requestBody=document_body(PaymentMessageSchema))
@blueprint.response(200, SuccessSchema)
@blueprint.alt_response(401)
@blueprint.alt_response(409)
def take_payment_message() -> dict[str, Any]:
    """Record a deposit or withdrawal that the operator's own payment service has made.

    The body is `{"type": "deposit.credited" | "withdrawal.completed", "data": {platformid, usd, chain?,
    asset?, amount?, txhash?, to?}}`, signed as Standard Webhooks say with PAYMENTS_WEBHOOK_SECRET. A
    `webhook-id` counts once, and so does a `txhash`. What can't be recorded, such as for an unknown player,
    is stored for staff, and the answer is 200. A body of another form is 400, and one with the `webhook-id`
    of another message 409.
    """
    services = get_services()
    try:
        services.payment_inbox.take_from_operator(_headers(), request.get_data(), now=services.clock())
    except BadSignature:
        refuse_signature()
    return ANSWER


def refuse_signature() -> None:
    """Raises BadSignature, or TooManyRequests for an address with many of them."""
    clients_log.warning("webhook with a bad signature")
    count_bad_signature()
    raise BadSignature


def _headers() -> dict[str, str]:
    return {name.lower(): value for name, value in request.headers}
