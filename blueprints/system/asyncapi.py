"""The AsyncAPI document: asyncapi.json with the version, the server, the schemas and the examples."""

import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from apispec import APISpec

from blueprints.api.openapi import INFO, ContractDocument, example_of
from settings import VERSION
from sockets.battle_schemas import BATTLES, BattleReceiptSchema, ListedBattleSchema
from sockets.reward_schemas import RewardsSchema
from sockets.schemas import (
    AddressAddedSchema,
    BalanceSchema,
    CommitmentSchema,
    LiveBetSchema,
    LoginsChangedSchema,
    OpeningPfSchema,
    OpeningProofSchema,
    PaymentChangedSchema,
    PfSchema,
    ProofSchema,
    RealityCheckSchema,
    ReceiptSchema,
)

TEMPLATE = Path(__file__).with_name("asyncapi.json").read_text()
PAYLOADS = (
    PfSchema,
    ProofSchema,
    OpeningPfSchema,
    OpeningProofSchema,
    CommitmentSchema,
    BalanceSchema,
    LiveBetSchema,
    RealityCheckSchema,
    ReceiptSchema,
    LoginsChangedSchema,
    PaymentChangedSchema,
    AddressAddedSchema,
    RewardsSchema,
    ListedBattleSchema,
    *map(type, BATTLES.values()),
    BattleReceiptSchema,
)


@cache
def asyncapi_document(base_url: str) -> bytes:
    """The document as JSON. Its examples are made of those of the fields."""
    document = json.loads(TEMPLATE)
    document["info"] |= {"version": VERSION, "contact": INFO["contact"]}
    url = urlsplit(base_url)
    document["servers"]["socket"] |= {
        "host": url.netloc,
        "pathname": f"{url.path}/socket.io/",
        "protocol": "wss" if url.scheme == "https" else "ws",
    }
    spec = APISpec("", VERSION, "3.1.0", plugins=[ContractDocument()])
    for payload in PAYLOADS:
        spec.components.schema(payload.__name__.removesuffix("Schema"), schema=payload)
    components = document["components"]
    schemas = spec.to_dict()["components"]["schemas"]
    # Generators name their types by the titles.
    for name, schema in schemas.items():
        schema["title"] = name
        for key, field in schema["properties"].items():
            _give_titles(field, f"{name} {key}")
    components["schemas"] |= schemas
    for message in components["messages"].values():
        if "examples" not in message:
            message["examples"] = [{"payload": example_of(message["payload"], components["schemas"])}]
    return json.dumps(document, indent=2).encode()


def _give_titles(field: dict[str, Any], title: str) -> None:
    """Give titles to enumerations, and to arrays with the arrays in them."""
    if "enum" in field or "items" in field:
        field["title"] = title
    if "items" in field:
        _give_titles(field["items"], f"{title} entry")
