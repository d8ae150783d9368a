"""The production app with a view that broadcasts a large event, and one with counts."""

import gc

from flask import request

from server.realtime.server import realtime
from server.worker.websocket import BoundedWebSocket
from wsgi import app

EVENT = "live-bets:new"


@app.get("/loud")
def loud():
    """Send everybody ``times`` events of ``bytes`` bytes, one after the other."""
    for number in range(int(request.args["times"])):
        realtime().broadcast([(EVENT, {"number": number, "text": "x" * int(request.args["bytes"])})])
    return {}


@app.get("/kept")
def kept():
    """How many websockets are in memory, and from now on without a search for garbage."""
    gc.disable()
    return {"websockets": sum(type(each) is BoundedWebSocket for each in gc.get_objects())}
