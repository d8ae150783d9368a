"""BTCPay's OpenAPI documents as validators of requests, answers and webhooks."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import jsonschema_rs

DIRECTORY = Path(__file__).parent / "documents"
FILES = ("template", "server-info", "stores", "invoices", "pull-payments", "webhooks")
NEW, OLD = "2.4.1", "2.3.5"
"""The releases that the fake can be. ``OLD`` has documents of its own where they differ, in a directory."""
DECIMAL = r"^-?[0-9]+(\.[0-9]+)?$"
SERVED = {
    "ServerInfo_GetServerInfo": "get server info",
    "Stores_GetStore": "get store",
    "Invoices_CreateInvoice": "create invoice",
    "Invoices_GetInvoices": "list invoices",
    "Invoices_GetInvoice": "get invoice",
    "Invoices_GetInvoicePaymentMethods": "get payment methods",
    "PullPayments_GetPullPayment": "get pull payment",
    "Payouts_CreatePayoutThroughStore": "create payout",
    "PullPayments_GetStorePayouts": "list store payouts",
    "GetStorePayout": "get payout",
    "PullPayments_ApprovePayout": "approve payout",
    "PullPayments_CancelPayout": "cancel payout",
}
"""The operations that the fake knows, by their ids, and their names here."""

VALUES = {"boolean": r"true|false", "number": r"-?[0-9]+(\.[0-9]+)?", "string": r".*", "array": r".*"}
"""Texts that a query parameter of a type may have."""

PROBLEM, VALIDATION_PROBLEM = "ProblemDetails", "ValidationProblemDetails"
UNDOCUMENTED_ANSWERS = {
    **dict.fromkeys(("400", "401", "403", "404"), PROBLEM),
    "422": VALIDATION_PROBLEM,
}
"""What a real server answers to any operation, whether its document names the status or not."""

DEVIATIONS: dict[tuple[str, str], Any] = {
    # A number in the answers of real servers.
    ("PayoutData", "date"): {"type": ["string", "number"]},
    # Null until there is one.
    ("PayoutData", "paymentProof"): {"nullable": True},
    ("PayoutData", "pullPaymentId"): {"nullable": True},
    # Documented as part of lists only; sent for one invoice too.
    ("InvoiceData", "paymentMethods"): {
        "type": "array",
        "items": {"$ref": "#/components/schemas/InvoicePaymentMethodDataModel"},
    },
}
"""Where real servers send something else than their documents say, by schema and property."""
ONLY_IN = {("InvoiceData", "paymentMethods"): NEW}
"""The release that has such a deviation, if not all."""

BELOW_STORE = re.compile(r"^/api/v1(?=/(?:invoices|payouts)/)")
"""The documents of 2.4.1 leave the store out of these paths. The server has them with it too, as before."""

IGNORED = {OLD: {"includePaymentMethods"}}
"""Query parameters that a release does not know. Real servers ignore them."""


class Undocumented(Exception):
    """No document describes this request. ``errors`` are pairs of a path and a message."""

    def __init__(self, *errors: tuple[str, str]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in errors))
        self.errors = errors


@dataclass(frozen=True)
class Operation:
    """One documented method of one path."""

    name: str
    method: str
    path: re.Pattern[str]
    permissions: tuple[str, ...]
    """An API key needs one of them."""

    query: Mapping[str, str]
    """The type of each parameter."""

    ignored: Collection[str] = ()
    """Further parameters, which do nothing."""

    body: Any = None
    answers: Mapping[str, Any] = field(default_factory=dict)

    def read_query(self, text: str) -> dict[str, list[str]]:
        """The values of each parameter. Raises Undocumented."""
        given = parse_qs(text, keep_blank_values=True)
        values = {name: each for name, each in given.items() if name not in self.ignored}
        errors = [(name, "is no parameter") for name in values.keys() - self.query.keys()]
        for name in values.keys() & self.query.keys():
            pattern = VALUES[self.query[name]]
            errors += [(name, f"is {each!r}") for each in values[name] if not re.fullmatch(pattern, each)]
        if errors:
            raise Undocumented(*errors)
        return values

    def read_body(self, content: bytes) -> Any:
        """The parsed body. Raises Undocumented."""
        if self.body is None:
            if content:
                raise Undocumented(("", "no body is documented"))
            return None
        try:
            body = json.loads(content)
        except ValueError as error:
            raise Undocumented(("", "the body is no JSON")) from error
        if errors := list(_errors(self.body, body)):
            raise Undocumented(*errors)
        return body

    def check_answer(self, status: int, body: Any) -> None:
        """Raises Undocumented when the server must not answer this."""
        name = str(status)
        documented = self.answers.get(name)
        allowed = [documented] if documented else []
        if name in UNDOCUMENTED_ANSWERS:
            allowed.append(validator_of(UNDOCUMENTED_ANSWERS[name]))
        if not allowed and (name not in self.answers or body is not None):
            raise Undocumented((name, f"is no answer of {self.name}, or has no body"))
        if allowed and all(any(_errors(each, body)) for each in allowed):
            raise Undocumented(*_errors(allowed[0], body))


def operation_of(method: str, path: str, release: str) -> tuple[Operation, dict[str, str]]:
    """The operation of a request to a release, and the parameters in its path.

    Raises Undocumented, also for what the fake does not know.
    """
    for operation in operations(release):
        if operation.method == method and (match := operation.path.fullmatch(path)):
            return operation, {name: value for name, value in match.groupdict().items() if value is not None}
    raise Undocumented((f"{method} {path}", "is no operation"))


def check_webhook(event: Mapping[str, Any]) -> None:
    """Raises Undocumented unless an event has the form of its type."""
    if errors := list(_errors(_validator_of_event(event["type"]), dict(event))):
        raise Undocumented(*errors)


@cache
def _validator_of_event(name: str) -> Any:
    document = _document(NEW)
    content = document["x-webhooks"][name]["post"]["requestBody"]["content"]
    schema = _Schemas(document).json_schema(content["application/json"]["schema"], closed=False)
    return jsonschema_rs.validator_for(schema)


@cache
def operations(release: str) -> tuple[Operation, ...]:
    schemas = _Schemas(_document(release))
    return tuple(
        _operation(schemas, release, method, path, described, item.get("parameters", []))
        for path, item in schemas.document["paths"].items()
        for method, described in item.items()
        if method != "parameters" and described["operationId"] in SERVED
    )


@cache
def validator_of(name: str) -> Any:
    """The validator of a shared schema."""
    return _Schemas(_document(NEW)).validator({"$ref": f"#/components/schemas/{name}"})


def _operation(
    schemas: "_Schemas", release: str, method: str, path: str, described: Any, shared: list[Any]
) -> Operation:
    parameters = [schemas.resolved(each) for each in [*shared, *described.get("parameters", [])]]
    body = described.get("requestBody", {}).get("content", {}).get("application/json")
    security = described.get("security") or [{}]
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)
    return Operation(
        name=SERVED[described["operationId"]],
        method=method.upper(),
        path=re.compile(BELOW_STORE.sub("/api/v1(?:/stores/(?P<storeId>[^/]+))?", pattern)),
        permissions=tuple(security[0].get("API_Key", ())),
        query={
            each["name"]: schemas.json_schema({"allOf": [each["schema"], {"nullable": False}]})["type"]
            for each in parameters
            if each["in"] == "query"
        },
        ignored=IGNORED.get(release, ()),
        body=body and schemas.validator(body["schema"]),
        answers={status: _answer(schemas, each) for status, each in described["responses"].items()},
    )


def _answer(schemas: "_Schemas", described: Any) -> Any:
    content = described.get("content", {}).get("application/json")
    return content and schemas.validator(content["schema"])


def _errors(validator: Any, body: Any) -> Iterator[tuple[str, str]]:
    for error in validator.iter_errors(body):
        yield ".".join(map(str, error.instance_path)), error.message


@cache
def _document(release: str) -> dict[str, Any]:
    """All files of a release as one document."""
    merged: dict[str, Any] = {"paths": {}, "x-webhooks": {}, "components": {}}
    for name in FILES:
        own = DIRECTORY / release / f"{name}.json"
        file = own if own.exists() else DIRECTORY / f"{name}.json"
        document = json.loads(file.read_text(encoding="utf-8"))
        merged["paths"] |= document.get("paths", {})
        merged["x-webhooks"] |= document.get("x-webhooks", {})
        for kind, parts in document.get("components", {}).items():
            merged["components"].setdefault(kind, {}).update(parts)
    for (schema, name), changes in DEVIATIONS.items():
        if ONLY_IN.get((schema, name), release) == release:
            properties = merged["components"]["schemas"][schema].setdefault("properties", {})
            properties[name] = {"allOf": [properties.get(name, {})], **changes}
    return merged


@dataclass(frozen=True)
class _Schemas:
    """The schemas of a document."""

    document: Mapping[str, Any]

    def resolved(self, node: Any) -> Any:
        if "$ref" not in node:
            return node
        found: Any = self.document
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return found

    def validator(self, schema: Any) -> Any:
        return jsonschema_rs.validator_for(self.json_schema(schema))

    def json_schema(self, node: Any, *, closed: bool = True) -> dict[str, Any]:
        """A schema of OpenAPI 3.0 as JSON Schema, without references.

        ``closed``: objects with named properties have no others, unless the document allows them.
        """
        schema: dict[str, Any] = {}
        for part in self._parts(node):
            # The parts of an "allOf" forbid each other's properties, so they are one object here.
            properties = schema.get("properties", {}) | part.get("properties", {})
            schema |= part
            if properties:
                schema["properties"] = properties
        if "properties" in schema:
            if closed and "anyOf" not in schema:
                schema.setdefault("additionalProperties", False)
            schema["properties"] = {
                name: self.json_schema(each, closed=closed) for name, each in schema["properties"].items()
            }
        if "items" in schema:
            schema["items"] = self.json_schema(schema["items"], closed=closed)
        if "anyOf" in schema:
            schema["anyOf"] = [self.json_schema(each, closed=False) for each in schema["anyOf"]]
        if schema.get("format") == "decimal":
            schema["pattern"] = DECIMAL
        nullable = schema.pop("nullable", False)
        for keyword in ("format", "example", "default", "x-enumNames", "x-abstract"):
            schema.pop(keyword, None)
        return {"anyOf": [schema, {"type": "null"}]} if nullable else schema

    def _parts(self, node: Any) -> Iterator[dict[str, Any]]:
        """The schemas of an "allOf", at any depth, and then what stands beside them."""
        node = self.resolved(node)
        for each in node.get("allOf", []):
            yield from self._parts(each)
        yield {name: value for name, value in node.items() if name != "allOf"}
