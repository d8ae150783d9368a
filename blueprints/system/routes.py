"""Health, metrics and the AsyncAPI document."""

from typing import Any

from flask import Response, current_app
from marshmallow import fields, missing
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.errors import error_response
from blueprints.system.asyncapi import asyncapi_document
from models.db import migrate
from models.db.connection import SCHEMA_ERRORS, database, reading, schema_problem
from models.db.new_connections import UnusableDatabase
from server.current_services import get_services
from server.http.rate_limit import count_as
from server.metrics import Metrics
from server.schemas import WireSchema, documented, text
from services.payments.hold import current_hold
from services.witnesses import freshness

blueprint = ApiBlueprint("system", __name__, description="Health and metrics")

SCHEMA_OUTDATED = "The database schema is not up to date"


class HealthSchema(WireSchema):
    """The check passed."""

    status = text("Always ok", "ok")


class ReadinessSchema(HealthSchema):
    """The process can serve."""

    redis = fields.Function(
        lambda health: health.get("redis") or missing,
        metadata=documented("ok or away; only with REDIS_URL", "ok", type="string"),
    )
    redis_problem = fields.Function(
        lambda health: health.get("redis_problem") or missing,
        metadata=documented(
            "Why redis is away, and what to do; only then", "it does not answer", type="string"
        ),
    )
    witnesses = fields.Function(
        lambda health: health.get("witnesses") or missing,
        metadata=documented(
            "Why the newest checkpoint of the public log has waited for its witnesses for minutes; only then",
            "entries have waited for 130 s to be witnessed: w1: it did not answer",
            type="string",
        ),
    )
    held = fields.Function(
        lambda health: health.get("held") or missing,
        metadata=documented(
            "Why withdrawals are held and perhaps bets paused after a restore, and what ends that; only then",
            "Withdrawals are held because of the database: it lacks the end of the log. …",
            type="string",
        ),
    )


@blueprint.get("/healthz")
@public
@blueprint.response(200, HealthSchema)
def get_health() -> dict[str, Any]:
    """This process is running. Does not check the database."""
    return {"status": "ok"}


@blueprint.get("/readyz")
@count_as("probe")
@public
@blueprint.response(200, ReadinessSchema)
@blueprint.alt_response(429)
def get_readiness() -> dict[str, Any] | Response:
    """The database takes changes and its schema is up to date. Redis need not be available."""
    try:
        with reading():
            migrate.check_tables()
            if migrate.problem():
                return error_response(SCHEMA_OUTDATED, 503)
            if database.is_read_only():
                return error_response("The database is read-only", 503)
            hold = current_hold()
            services = get_services()
            late = freshness.problem(services.settings, now=services.clock())
    except UnusableDatabase as error:
        return error_response(str(error), 503)
    except SCHEMA_ERRORS as error:
        if problem := schema_problem(error):
            return error_response(f"{SCHEMA_OUTDATED}: {problem}", 503)
        raise
    signals = get_services().signals
    return {
        "status": "ok",
        "redis": signals.state,
        "redis_problem": signals.problem,
        "witnesses": late,
        "held": hold and hold.text,
    }


@blueprint.get("/asyncapi.json")
@public
@blueprint.response(200, {"type": "object", "examples": [{"asyncapi": "3.0.0"}]})
def get_socket_events() -> Response:
    """The events of the socket, as an AsyncAPI document."""
    return Response(asyncapi_document(get_services().settings.base_url), mimetype="application/json")


@blueprint.get("/metrics")
@count_as("probe")
@public
@blueprint.response(200, {"type": "string", "examples": ["sockets_open 3.0"]}, content_type="text/plain")
@blueprint.alt_response(429)
def get_metrics() -> Response:
    """Counters in Prometheus' text format."""
    counted: Metrics = current_app.extensions["metrics"]
    return Response(generate_latest(counted.registry), content_type=CONTENT_TYPE_LATEST)
