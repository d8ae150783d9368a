"""Production: one process, any number of sockets."""

# Before any other import: what is imported earlier keeps blocking calls and shared connections.
from gevent import monkey

monkey.patch_all()

import os
import sys

from settings import Settings, SettingsError

try:
    # Checked here as well, because a worker that can't start would be started over and over.
    Settings.from_env(os.environ)
except SettingsError as problem:
    sys.exit(str(problem))

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT') or '5000'}"
# One process: the spin locks, the connections and the catalogue live in it.
workers = 1
worker_class = "blueprints.serving.worker.Worker"
# A socket is a connection for as long as its player plays; the default of 1,000 starves HTTP.
worker_connections = 20_000
graceful_timeout = 28
timeout = 60
keepalive = 5
# Its place is fixed, so two servers on one machine would fight over it.
control_socket_disable = True
accesslog = None
loglevel = os.environ.get("GUNICORN_LOG_LEVEL", "info")
