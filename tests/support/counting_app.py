"""The production app with short deadlines, and a view of the counts of its clients."""

import gc

import gevent

from server.realtime.server import realtime
from tests.support.short_deadlines import shorten_deadlines, shorten_pings

shorten_deadlines()

from wsgi import app  # noqa: E402  # created with the short deadlines

shorten_pings(app.extensions["realtime"].server.eio)


@app.get("/counts")
def counts():
    """What is kept now. The greenlets are those of this process, the one of this request included."""
    running = realtime()
    gc.collect()
    return {
        "transports": len(running.server.eio.sockets),
        "connections": len(running.connections),
        "rooms": sum(map(len, running.manager.rooms.values())),
        "environs": len(running.server.environ),
        "greenlets": sum(isinstance(each, gevent.Greenlet) and not each.dead for each in gc.get_objects()),
    }
