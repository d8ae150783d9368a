"""The API document: flask-smorest's, with the errors that any view can answer. Made at its first request."""

import json
import threading
from http import HTTPStatus
from typing import Any

import flask_smorest
import marshmallow as ma
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Response

from blueprints.api.errors import ErrorSchema, envelope_schema
from blueprints.api.schemas import WIRE_TYPES
from server.http.rate_limit import FREE_BLUEPRINTS, PROBED
from services.shared.background import pause

API_TITLE = "Gaming platform"

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
    """Describes the views at the first request for the document: most processes are never asked."""

    ERROR_SCHEMA = ErrorSchema
    # The document names every status. One that it does not name is a mistake that the fuzzing finds.
    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._undocumented: list[flask_smorest.Blueprint] = []
        self._document: bytes | None = None
        self._guard = threading.Lock()
        super().__init__(*args, spec_kwargs={"marshmallow_plugin": ContractDocument()}, **kwargs)
        for field, json_type in WIRE_TYPES.items():
            self.register_field(field, json_type, None)
        bearer = {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
        self.spec.components.security_scheme("bearer", bearer)

    def register_blueprint(self, blp: flask_smorest.Blueprint, **options: Any) -> None:
        self._app.extensions["flask-smorest"]["blp_name_to_api"][blp.name] = self
        self._app.register_blueprint(blp, **options)
        self._undocumented.append(blp)

    def _register_error_handlers(self) -> None:
        """blueprints/api/errors.py has those of the contract."""

    def _register_responses(self) -> None:
        """Left to ``_describe``: one response for each HTTP status takes a third of the time of a start."""

    def _openapi_json(self) -> Response:
        with self._guard:
            if self._document is None:
                self._describe()
                self._document = json.dumps(self.spec.to_dict(), indent=2).encode()
        return Response(self._document, mimetype="application/json")

    def _describe(self) -> None:
        super()._register_responses()
        for blp in self._undocumented:
            blp.register_views_in_doc(self, self._app, self.spec, name=blp.name, parameters=None)
            # All of them take 50 ms.
            pause()
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
        for operation in (operations or {}).values():
            responses = operation.setdefault("responses", {})
            errors = {HTTPStatus(status) for status in responses if status >= HTTPStatus.BAD_REQUEST}
            for status in sorted(errors | _common_statuses(path or "", operation)):
                responses[status] = {
                    "description": status.phrase,
                    "content": {"application/json": {"schema": envelope_schema(path or "")}},
                }
                if status in HEADERS:
                    responses[status]["headers"] = HEADERS[status]
        super().operation_helper(path=path, operations=operations, **kwargs)


def _allow_empty_value(_converter: OpenAPIConverter, field: ma.fields.Field[Any], **_: Any) -> dict[str, Any]:
    """QuerySchema takes an empty value for none."""
    return {} if field.required else {"allowEmptyValue": True}


def _common_statuses(path: str, operation: dict[str, Any]) -> set[HTTPStatus]:
    # An unforeseen failure, and a database that is not available.
    statuses = {HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.SERVICE_UNAVAILABLE}
    is_free = set(operation.get("tags", ())) & set(FREE_BLUEPRINTS)
    if not is_free or operation.get("operationId") in PROBED:
        statuses.add(HTTPStatus.TOO_MANY_REQUESTS)
    if "requestBody" in operation:
        statuses.add(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    if "security" in operation:
        statuses.add(HTTPStatus.UNAUTHORIZED)
    # A NUL in the path, a bad parameter or body, or the token of a player who no longer exists.
    is_profile = "security" in operation and path.startswith("/profile")
    if "{" in path or "parameters" in operation or "requestBody" in operation or is_profile:
        statuses.add(HTTPStatus.BAD_REQUEST)
    return statuses
