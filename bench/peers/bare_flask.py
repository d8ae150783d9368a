"""The least Flask program there is: what it takes to start one."""

import flask

app = flask.Flask(__name__)


@app.get("/healthz")
def health() -> str:
    return "ok"
