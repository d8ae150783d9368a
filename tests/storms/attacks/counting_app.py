"""The production app with a view of the server's counts: connections, greenlets, files, memory."""

import gc
import resource
from collections.abc import Iterator
from pathlib import Path

import gevent

from models.db.connection import database
from server.worker.connection import Handler
from wsgi import app

FILES = Path("/proc/self/fd")


@app.get("/counts")
def counts():
    """Counts of this process; ``memory`` is in bytes.

    ``files`` does not include pooled database connections, whose number follows the load of the last minutes.
    """
    running = app.extensions["realtime"]
    engine = running.server.eio
    links = list(_links())
    return {
        "connections": sum(link.startswith("socket:") for link in links),
        "requests": len(Handler.busy),
        "sockets": len(running.connections),
        "transports": len(engine.sockets),
        "handshakes": len(engine.sockets) - len(running.connections),
        "rooms": sum(map(len, running.manager.rooms.values())),
        "environs": len(running.server.environ),
        "greenlets": sum(isinstance(each, gevent.Greenlet) and not each.dead for each in gc.get_objects()),
        "files": len(links),
        "memory": int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize(),
    }


def _links() -> Iterator[str]:
    """The targets of this process's open files, without those of the database."""
    idle = getattr(database.obj, "_idle", ())
    pooled = {connection.fileno() for connection in idle if not connection.closed}
    for file in FILES.iterdir():
        try:
            link = str(file.readlink())
        except FileNotFoundError:
            continue
        if int(file.name) not in pooled and str(database.obj.database) not in link:
            yield link
