"""What holds for all operations, written into the API document once: errors of any view, empty parameters."""

from http import HTTPStatus
from typing import Any

import marshmallow as ma
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter

from blueprints.common.errors import envelope_schema
from blueprints.common.rate_limit import FREE_BLUEPRINTS, PROBED

RETRY_AFTER = {
    "Retry-After": {"description": "Seconds until it makes sense to try again", "schema": {"type": "integer"}}
}
HEADERS: dict[int, dict[str, Any]] = {
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": {"schema": {"type": "string", "enum": ["Bearer"]}}},
    HTTPStatus.TOO_MANY_REQUESTS: RETRY_AFTER,
    HTTPStatus.SERVICE_UNAVAILABLE: RETRY_AFTER,
}
"""What comes with an answer of this status, wherever it comes from."""


class ContractDocument(MarshmallowPlugin):
    """Adds to every operation the errors that do not depend on its view, and to all errors their envelope."""

    def init_spec(self, spec: APISpec) -> None:
        super().init_spec(spec)
        self.converter.add_parameter_attribute_function(_empty_is_left_out)

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


def _empty_is_left_out(_converter: OpenAPIConverter, field: ma.fields.Field[Any], **_: Any) -> dict[str, Any]:
    """QuerySchema takes an empty value for none."""
    return {} if field.required else {"allowEmptyValue": True}


def _common_statuses(path: str, operation: dict[str, Any]) -> set[HTTPStatus]:
    # A failure nobody foresaw, and a database that is away.
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
