"""The blueprint that every area is made of."""

import inspect
from collections.abc import Callable
from typing import Any

import flask_smorest
import marshmallow as ma
from flask import Request
from webargs.flaskparser import FlaskParser

from blueprints.common.auth import POLICY
from blueprints.common.bodies import read_object


class ContractParser(FlaskParser):
    """Bad input is 400, never 422; a body is an object of exact JSON."""

    DEFAULT_VALIDATION_STATUS = 400

    def load_json(self, req: Request, schema: ma.Schema) -> dict[str, Any]:  # noqa: ARG002  # the library's
        return read_object(req)


class Area(flask_smorest.Blueprint):
    """A flask-smorest blueprint by the conventions of the contract."""

    ARGUMENTS_PARSER = ContractParser()

    def arguments(self, schema: Any, **options: Any) -> Callable[[Any], Any]:
        """flask-smorest's own, with one schema for all requests: to make one takes longer than to read."""
        return super().arguments(schema() if inspect.isclass(schema) else schema, **options)

    def route(self, rule: str, **options: Any) -> Callable[[Any], Any]:
        """flask-smorest's own. Documents the operation's id and whether it needs a token."""
        register = super().route(rule, **options)

        def decorator(view: Any) -> Any:
            security = {"security": [{"bearer": []}]} if getattr(view, POLICY, None) == "user" else {}
            return register(self.doc(operationId=f"{self.name}.{view.__name__}", **security)(view))

        return decorator
