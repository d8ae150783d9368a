"""Errors over HTTP: always JSON, in the envelope that the contract has for the path."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

import marshmallow as ma
import peewee
from flask import Flask, Response, jsonify, request
from marshmallow.exceptions import SCHEMA
from werkzeug.exceptions import HTTPException

from models.db.connection import UNAVAILABLE, schema_problem
from server.schemas import flag, text
from services.shared.errors import Failure, Refusal, Unavailable

log = logging.getLogger("platform.errors")

CREATE_CASE = "/api/cases/create"
"""This path alone; what follows it with a slash is the id of a case."""

INTERNAL_TEXT = "Something went wrong"
INTERNAL_TEXTS = {
    CREATE_CASE: "Failed to create case",
    "/affiliate/set-code": "Failed to set affiliate code",
    "/affiliate/use-code": "An error occurred while using the affiliate code.",
    "/affiliate/stats": "Failed to fetch affiliate statistics",
    "/affiliate/claim": "Failed to claim affiliate earnings",
}
"""The texts that the contract has for unforeseen failures at some paths."""


STATUS = flag("Always false", example=False)
TEXT = text("What was wrong, as a sentence", "Not found")


class ErrorSchema(ma.Schema):
    """The envelope of most errors."""

    error = TEXT


class RefusalSchema(ma.Schema):
    """The envelope of errors of promo codes and of creating a case."""

    status = STATUS
    message = TEXT


class PublicUserErrorSchema(ma.Schema):
    """The envelope of errors of public users."""

    status = STATUS
    error = TEXT


ENVELOPES = {"/affiliate/": RefusalSchema, "/profile/user/": PublicUserErrorSchema}
"""The envelopes of areas that have another one, by the beginnings of their paths."""


def envelope_schema(path: str) -> type[ma.Schema]:
    """The envelope that the contract has for this path."""
    if path == CREATE_CASE:
        return RefusalSchema
    return next((schema for area, schema in ENVELOPES.items() if f"{path}/".startswith(area)), ErrorSchema)


def envelope(path: str, text: str) -> dict[str, Any]:
    """The body of an error, as the contract has it for this path."""
    values = {"status": False, "message": text, "error": text}
    return {name: values[name] for name in envelope_schema(path)().fields}


def error_response(text: str, status: int, details: Mapping[str, Any] = MappingProxyType({})) -> Response:
    """An error in the envelope of the request's path."""
    response = jsonify({**envelope(request.path, text), **details})
    response.status_code = status
    return response


def register_error_handlers(app: Flask) -> None:
    """Answer every error in the envelope of its path: refusals, HTTP errors, and an unavailable database."""

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Response:
        """Unknown paths, bad input and uncaught exceptions."""
        response = error_response(_text_of(error), error.code or HTTPStatus.INTERNAL_SERVER_ERROR)
        # Such as Allow.
        error_headers = [(name, value) for name, value in error.get_headers() if name != "Content-Type"]
        response.headers.extend(error_headers)
        return response

    @app.errorhandler(Refusal)
    def refused(error: Refusal) -> Response:
        if isinstance(error, Failure):
            # Flask logs it, and answers as it answers any other exception.
            raise error
        response = error_response(error.text, error.status, error.details)
        if error.status == HTTPStatus.UNAUTHORIZED:
            response.headers["WWW-Authenticate"] = "Bearer"
        if error.retry_after_seconds is not None:
            response.headers["Retry-After"] = str(error.retry_after_seconds)
        return response

    def unavailable(error: Exception) -> Response:
        message = "database schema not up to date" if schema_problem(error) else "database unavailable"
        log.error(message, exc_info=error)
        return refused(Unavailable())

    for kind in UNAVAILABLE:
        app.register_error_handler(kind, unavailable)

    @app.errorhandler(peewee.ProgrammingError)
    def outdated(error: peewee.ProgrammingError) -> Response:
        if not schema_problem(error):
            raise error
        return unavailable(error)


def _text_of(error: HTTPException) -> str:
    if (error.code or 500) >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return INTERNAL_TEXTS.get(request.path, INTERNAL_TEXT)
    messages = getattr(error, "data", {}).get("messages")
    if isinstance(messages, Mapping):
        # Their keys are the places, such as query and json.
        return "; ".join(text for place in messages.values() for text in _sentences(place))
    return error.name.capitalize()


def _sentences(messages: Any, name: str = "") -> list[str]:
    """Validation messages of what has this name, as "name: what is wrong"."""
    if not isinstance(messages, Mapping):
        return [f"{name}: {text}" if name else str(text) for text in messages]
    found: list[str] = []
    # Unknown names come in a different order in every process.
    for key, inner in sorted(messages.items(), key=lambda pair: str(pair[0])):
        path = f"{name}.{key}" if name else str(key)
        # An error of an object as a whole has the object's own name, if it has one.
        found += _sentences(inner, name if key == SCHEMA else path)
    return found
