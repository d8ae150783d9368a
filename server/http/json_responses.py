"""JSON responses of views."""

from typing import Any

import orjson
from flask import Response
from flask.json.provider import DefaultJSONProvider
from werkzeug.sansio.response import Response as AnyResponse

# Flask has its own form of dates.
OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS


class JsonProvider(DefaultJSONProvider):
    """Flask's JSON, with compact responses that keep the order of keys and are made by orjson."""

    sort_keys = False
    compact = True

    def response(self, *args: Any, **kwargs: Any) -> AnyResponse:
        """As Flask's own, in a third of the time."""
        try:
            body = orjson.dumps(self._prepare_response_obj(args, kwargs), option=OPTIONS)
        except TypeError:
            # Such as an integer of more than 64 bits, or a lone surrogate.
            return super().response(*args, **kwargs)
        return Response(body, mimetype=self.mimetype)
