"""Health, metrics and the AsyncAPI document."""

from pathlib import Path
from typing import Any

import marshmallow as ma
from flask import Response

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.errors import error_response
from blueprints.api.schemas import WireSchema
from blueprints.system.metrics import metrics_text
from models.db import migrate
from models.db.connection import SCHEMA_ERRORS, reading, schema_problem

blueprint = ApiBlueprint("system", __name__, description="Health and metrics")

ASYNCAPI = Path(__file__).with_name("asyncapi.json").read_bytes()
SCHEMA_OUTDATED = "The database schema is not up to date"


class HealthSchema(WireSchema):
    status = ma.fields.String(required=True)


@blueprint.get("/healthz")
@public
@blueprint.response(200, HealthSchema)
def healthz() -> dict[str, Any]:
    """This process is running. Does not check the database."""
    return {"status": "ok"}


@blueprint.get("/readyz")
@public
@blueprint.response(200, HealthSchema)
def readyz() -> dict[str, Any] | Response:
    """The database is available and its schema is up to date."""
    try:
        with reading():
            migrate.look_at_tables()
            if migrate.pending():
                return error_response(SCHEMA_OUTDATED, 503)
    except SCHEMA_ERRORS as error:
        if problem := schema_problem(error):
            return error_response(f"{SCHEMA_OUTDATED}: {problem}", 503)
        raise
    return {"status": "ok"}


@blueprint.get("/asyncapi.json")
@public
@blueprint.response(200, {"type": "object"})
def asyncapi() -> Response:
    """The events of the socket, as an AsyncAPI document."""
    return Response(ASYNCAPI, mimetype="application/json")


@blueprint.get("/metrics")
@public
@blueprint.response(200, {"type": "string"}, content_type="text/plain")
def metrics() -> Response:
    """Counters in Prometheus' text format."""
    return metrics_text()
