"""Answers that are written out rather than dumped through a schema: those with many values in them."""

import orjson
from flask import Response


def json_response(value: object) -> Response:
    return Response(orjson.dumps(value), mimetype="application/json")
