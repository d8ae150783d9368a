"""The production app with a view that counts what the socket server keeps of its clients."""

import gc

import gevent

from blueprints.realtime.server import realtime
from wsgi import app


@app.get("/counts")
def counts():
    """What is kept now. The greenlets are those of this process, the one of this request included."""
    running = realtime()
    gc.collect()
    return {
        **running.counts(),
        "rooms": sum(map(len, running.manager.rooms.values())),
        "environs": len(running.server.environ),
        "greenlets": sum(isinstance(each, gevent.Greenlet) and not each.dead for each in gc.get_objects()),
    }
