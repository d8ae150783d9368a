"""The API document: flask-smorest's, with the errors that any view can answer. Made at its first request."""

import json
import threading
from http import HTTPStatus
from pathlib import Path
from typing import Any

import flask_smorest
import marshmallow as ma
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import resolve_schema_cls
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Response

from blueprints.api.errors import INTERNAL_TEXT, INTERNAL_TEXTS, ErrorSchema, envelope, envelope_schema
from server.http.rate_limit import FREE_BLUEPRINTS
from services.shared.errors import AccountSuspended, Unavailable

API_TITLE = "Gaming platform"
INFO = {
    "description": Path(__file__).with_name("openapi.md").read_text(),
    "contact": {"name": f"The maintainers of {API_TITLE}"},
    "license": {"name": "MIT", "identifier": "MIT"},
}
SERVERS = [{"url": "/", "description": "The server that this document comes from"}]
SIGNED_IN = "The token that a login returns to the front end, or that `flask users token PLATFORMID` prints"

PATH_PARAMETERS = {
    "platform_id": ("The player's id: 17 digits, or id- and a hash", "76561198000000001"),
    "case_id": ("The id of the case", "desert-case"),
    "snapshot_hash": (
        "The hash: 64 lowercase hexadecimal digits",
        "3d23e04e7564abd8bf89f685c2f350e224fc3694eff34179090dcebff6242380",
    ),
    "deposit_id": ("The id of the deposit", "8f14e45fceea167a5a36dedd4bea2543"),
    "withdrawal_id": ("The id of the withdrawal", "8f14e45fceea167a5a36dedd4bea2543"),
    "export_id": ("The id of the export", "8f14e45fceea167a5a36dedd4bea2543"),
    "prize_id": ("The id of the prize", "17"),
    "address_id": ("The id of the address", "0f2d7e61c8b94d5a93b1c07e5a6d4f38"),
    "reward_id": ("The id of the reward", "level-10"),
    "request_id": ("The id of the request", "8f14e45fceea167a5a36dedd4bea2543"),
    "battle_id": ("The id of the battle", "Zm9yIGV2ZXIgYW5kIGV2ZQ"),
    "nonce": ("Number of the player's bet, from 1", 1),
    "tile": ("Level and number of the tile, and its width if it is not full", "0/000.p/1"),
    "bundle": ("Number of the bundle, and its width if it is not full", "000.p/1"),
    "number": ("Number of the bundle, from 0", "0"),
    "provider": ("The provider: platform or identity", "identity"),
    "bet_id": ("The id of the bet's fairness entry", "18"),
}

RETRY_AFTER = {
    "Retry-After": {"description": "Seconds until it makes sense to try again", "schema": {"type": "integer"}}
}
HEADERS: dict[int, dict[str, Any]] = {
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": {"schema": {"type": "string", "enum": ["Bearer"]}}},
    HTTPStatus.TOO_MANY_REQUESTS: RETRY_AFTER,
    HTTPStatus.SERVICE_UNAVAILABLE: RETRY_AFTER,
}
"""The headers of every answer with this status."""


class DocumentedApi(flask_smorest.Api):  # type: ignore[misc]  # the library carries no types
    """Describes the views at the first request for the document, which most processes never get."""

    ERROR_SCHEMA = ErrorSchema
    # The document names every status. One that it does not name is a mistake that the fuzzing finds.
    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._undocumented: list[flask_smorest.Blueprint] = []
        self._document: bytes | None = None
        self._guard = threading.Lock()
        spec = {"marshmallow_plugin": ContractDocument(), "info": INFO, "servers": SERVERS}
        super().__init__(*args, spec_kwargs=spec, **kwargs)
        bearer = {"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": SIGNED_IN}
        self.spec.components.security_scheme("bearer", bearer)

    def register_blueprint(self, blp: flask_smorest.Blueprint, **options: Any) -> None:
        self._app.extensions["flask-smorest"]["blp_name_to_api"][blp.name] = self
        self._app.register_blueprint(blp, **options)
        self._undocumented.append(blp)

    def _register_error_handlers(self) -> None:
        """Registers none: blueprints/api/errors.py registers those of the contract."""

    def _register_responses(self) -> None:
        """Registers none: ContractDocument adds those of the contract."""

    def _register_pagination_header(self) -> None:
        """Registers none: the contract has no such header."""

    def document(self) -> bytes:
        """The document as JSON, made at the first call."""
        with self._guard:
            if self._document is None:
                self._describe()
                self._document = json.dumps(complete(self.spec.to_dict()), indent=2).encode()
        return self._document

    def _openapi_json(self) -> Response:
        return Response(self.document(), mimetype="application/json")

    def _describe(self) -> None:
        for blp in self._undocumented:
            blp.register_views_in_doc(self, self._app, self.spec, name=blp.name, parameters=None)
            self.spec.tag({"name": blp.name, "description": blp.description})
        self._undocumented.clear()


class ContractDocument(MarshmallowPlugin):
    """Adds to every operation the errors that do not depend on its view, and to all errors their envelope."""

    def init_spec(self, spec: APISpec) -> None:
        super().init_spec(spec)
        assert self.converter is not None  # noqa: S101  # made by the line above
        self.converter.add_parameter_attribute_function(_allow_empty_value)

    def operation_helper(
        self, path: str | None = None, operations: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        path = path or ""
        for operation in (operations or {}).values():
            responses = operation.setdefault("responses", {})
            errors = {HTTPStatus(status) for status in responses if status >= HTTPStatus.BAD_REQUEST}
            for status in sorted(errors | _common_statuses(operation)):
                responses[status] = _error(path, status)
            if all(status >= HTTPStatus.MULTIPLE_CHOICES for status in responses):
                # The linters ask for a successful answer, or this. A redirect has neither.
                responses["default"] = _error(path, HTTPStatus.INTERNAL_SERVER_ERROR)
        super().operation_helper(path=path, operations=operations, **kwargs)

    def schema_helper(self, name: str, _: Any, schema: Any = None, **kwargs: Any) -> Any:  # type: ignore[override]
        described = super().schema_helper(name, _, schema=schema, **kwargs)  # type: ignore[no-untyped-call]
        return {"description": resolve_schema_cls(schema).__doc__} | described


def _error(path: str, status: HTTPStatus) -> dict[str, Any]:
    texts = {
        HTTPStatus.FORBIDDEN: AccountSuspended.text,
        HTTPStatus.INTERNAL_SERVER_ERROR: INTERNAL_TEXTS.get(path, INTERNAL_TEXT),
        HTTPStatus.SERVICE_UNAVAILABLE: Unavailable.text,
    }
    example = envelope(path, texts.get(status, status.phrase.capitalize()))
    content = {"application/json": {"schema": envelope_schema(path), "example": example}}
    headers = {"headers": HEADERS[status]} if status in HEADERS else {}
    return {"description": status.phrase, "content": content, **headers}


def _allow_empty_value(_converter: OpenAPIConverter, field: ma.fields.Field[Any], **_: Any) -> dict[str, Any]:
    """Document that a parameter may be empty: QuerySchema reads that as left out."""
    return {} if field.required else {"allowEmptyValue": True}


def _common_statuses(operation: dict[str, Any]) -> set[HTTPStatus]:
    # A malformed request, an unforeseen failure, and a database that is not available.
    statuses = {HTTPStatus.BAD_REQUEST, HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.SERVICE_UNAVAILABLE}
    if not set(operation["tags"]) & set(FREE_BLUEPRINTS):
        statuses.add(HTTPStatus.TOO_MANY_REQUESTS)
    if "requestBody" in operation:
        statuses.add(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    if operation["security"]:
        statuses |= {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
    return statuses


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """Describe path parameters, and give each body an example made of the examples of its fields."""
    schemas = document["components"]["schemas"]
    for path in document["paths"].values():
        for parameter in path.get("parameters", ()):
            description, example = PATH_PARAMETERS[parameter["name"]]
            parameter["description"] = description
            parameter["schema"]["examples"] = [example]
        for method in path.keys() - {"parameters"}:
            bodies = [path[method].get("requestBody", {}), *path[method]["responses"].values()]
            for content in (kind for body in bodies for kind in body.get("content", {}).values()):
                content.setdefault("example", example_of(content["schema"], schemas))
    return document


def example_of(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """A value of a schema. ``schemas`` are those that it refers to, by name."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "examples" in schema:
        return schema["examples"][0]
    if "oneOf" in schema:
        return example_of(schema["oneOf"][0], schemas)
    if schema["type"] == "array":
        return [example_of(schema["items"], schemas)]
    return {name: example_of(part, schemas) for name, part in schema["properties"].items()}
