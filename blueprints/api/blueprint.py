"""The blueprint that every area is made of, and how it reads JSON bodies."""

import inspect
from collections.abc import Callable
from typing import Any

import flask_smorest
import marshmallow as ma
from flask import Request
from webargs.flaskparser import FlaskParser

from blueprints.api.auth import DOCUMENTED, HEADER, POLICY
from services.shared import decimal_json
from services.shared.errors import UnstorableText
from services.shared.text import camel_case, is_storable

TWO_FACTOR_DOCUMENT = {
    "parameters": [
        {
            "in": "header",
            "name": HEADER,
            "description": "A code of the authenticator app, or a recovery code, of a caller with 2FA",
            "schema": {"type": "string", "examples": ["123456"]},
        }
    ],
    "responses": {403: {}},
}


class ContractParser(FlaskParser):
    """Bad input is 400, never 422; a body is an object of exact JSON."""

    DEFAULT_VALIDATION_STATUS = 400

    def load_json(self, req: Request, schema: ma.Schema) -> dict[str, Any]:  # noqa: ARG002  # the library's
        """The body's object, with Decimals for fractions. An empty body is an object without keys.

        The content type must name JSON, text, or nothing. Raises ValidationError and UnstorableText.
        """
        if not _may_be_json(req.mimetype):
            raise ma.ValidationError("The body must be JSON")
        data = req.get_data()
        try:
            body = decimal_json.loads(data.decode()) if data.strip() else {}
        except decimal_json.RepeatedKey:
            raise ma.ValidationError("The body has a key more than once") from None
        except ValueError:
            raise ma.ValidationError("The body is not valid JSON") from None
        if not isinstance(body, dict):
            raise ma.ValidationError("The body must be a JSON object")
        _check_texts(body)
        return body


def _may_be_json(mimetype: str) -> bool:
    kind, _, subtype = mimetype.partition("/")
    return not mimetype or kind == "text" or subtype == "json" or subtype.endswith("+json")


def _check_texts(body: dict[str, Any]) -> None:
    # Not recursive: a body may be nested more deeply than functions may.
    left: list[Any] = [body]
    while left:
        value = left.pop()
        if isinstance(value, str) and not is_storable(value):
            raise UnstorableText
        if isinstance(value, dict):
            left += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            left += value


class ApiBlueprint(flask_smorest.Blueprint):  # type: ignore[misc]  # the library carries no types
    """A flask-smorest blueprint by the conventions of the contract."""

    ARGUMENTS_PARSER = ContractParser()

    def arguments(self, schema: Any, **options: Any) -> Callable[[Any], Any]:
        """Like flask-smorest's ``arguments``, but a schema class is instantiated only once."""
        decorator: Callable[[Any], Any] = super().arguments(
            schema() if inspect.isclass(schema) else schema, **options
        )
        return decorator

    def route(self, rule: str, **options: Any) -> Callable[[Any], Any]:
        """Like flask-smorest's ``route``. Documents the view by its name, docstring and need of a token.

        ``get_case`` has the id ``getCase`` and the summary "Get case"; the docstring is the description.
        """
        register = super().route(rule, **options)

        def decorator(view: Any) -> Any:
            two_factor = TWO_FACTOR_DOCUMENT if hasattr(view, DOCUMENTED) else {}
            document = self.doc(
                operationId=camel_case(view.__name__),
                summary=view.__name__.replace("_", " ").capitalize(),
                description=inspect.getdoc(view),
                security=[{"bearer": []}] if getattr(view, POLICY, None) == "user" else [],
                **two_factor,
            )
            return register(document(view))

        return decorator
