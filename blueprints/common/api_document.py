"""The API document, made when somebody first asks for it: most processes are never asked."""

import json
import threading
from typing import Any

import flask_smorest
from flask import Response

from services.background import pause


class DocumentedApi(flask_smorest.Api):
    """flask-smorest, which would describe every view at every start: longer work than all the rest of it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._undocumented: list[flask_smorest.Blueprint] = []
        self._document: bytes | None = None
        self._guard = threading.Lock()
        super().__init__(*args, **kwargs)

    def register_blueprint(self, blp: flask_smorest.Blueprint, **options: Any) -> None:
        self._app.extensions["flask-smorest"]["blp_name_to_api"][blp.name] = self
        self._app.register_blueprint(blp, **options)
        self._undocumented.append(blp)

    def _openapi_json(self) -> Response:
        with self._guard:
            if self._document is None:
                self._describe()
                self._document = json.dumps(self.spec.to_dict(), indent=2).encode()
        return Response(self._document, mimetype="application/json")

    def _describe(self) -> None:
        for blp in self._undocumented:
            blp.register_views_in_doc(self, self._app, self.spec, name=blp.name, parameters=None)
            # All of them take 50 ms.
            pause()
            self.spec.tag({"name": blp.name, "description": blp.description})
        self._undocumented.clear()
