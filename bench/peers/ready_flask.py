"""A Flask view that returns fixed bytes, under the platform's worker."""

from flask import Flask, Response

from bench.peers.ready_answer import NoSockets, ready_answer

app = Flask(__name__, static_folder=None)
app.extensions["realtime"] = NoSockets()
answer = ready_answer()


@app.get(answer.path)
def ready() -> Response:
    return Response(answer.body, headers=answer.headers)


@app.get("/healthz")
def health() -> str:
    return "ok"
