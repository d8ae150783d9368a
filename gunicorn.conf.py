"""Production: one process, any number of sockets."""

# Before any other import: what is imported earlier keeps blocking calls and shared connections.
import gevent
import gevent.events
from gevent import monkey

# Where each greenlet was made, for a debugger: 4 of the 68 KiB that an idle socket took.
gevent.config.track_greenlet_tree = False
# For each thing that it patches it would look through all that is installed for plugins, of which we have
# none: two thirds of the time that patching takes.
gevent.events.notify_and_call_entry_points = gevent.events.notify
monkey.patch_all()

import os
import resource
import sys

from dotenv import find_dotenv, load_dotenv

from settings import Settings, SettingsError

# The same file that Flask's own commands read.
load_dotenv(find_dotenv(usecwd=True))
try:
    # Checked here as well, because a worker that can't start would be started over and over.
    settings = Settings.from_env(os.environ)
except SettingsError as problem:
    sys.exit(str(problem))

bind = f"{settings.host}:{settings.port}"
# One process: the spin locks, the connections and the catalogue live in it.
workers = 1
worker_class = "server.worker.worker.Worker"
# A socket is a connection for as long as its player plays; the default of 1,000 starves HTTP. Each is an
# open file, of which a process often has 1,024 unless it asks for more; some are kept for the database.
RESERVED_FILES = 100
MOST_CONNECTIONS = 20_000
_, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
files = MOST_CONNECTIONS + RESERVED_FILES
if allowed != resource.RLIM_INFINITY:
    files = min(files, allowed)
resource.setrlimit(resource.RLIMIT_NOFILE, (files, allowed))
worker_connections = max(files - RESERVED_FILES, files // 2)
# After a restart everybody comes back at once; who finds no room here tries again in one second, then three.
backlog = 8_192
graceful_timeout = 28
timeout = 60
keepalive = 5
# Its place is fixed, so two servers on one machine would fight over it.
control_socket_disable = True
accesslog = None
loglevel = settings.gunicorn_log_level
