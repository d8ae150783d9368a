"""The smallest Flask program, to measure its start."""

import flask

app = flask.Flask(__name__)


@app.get("/healthz")
def health() -> str:
    return "ok"
