"""Production: one worker process. Several processes are several servers with REDIS_URL."""

# Before any other import: a module that is imported earlier keeps the blocking calls.
import gevent
from gevent import monkey

# Debugging information about each greenlet took 4 of the 68 KiB of an idle socket.
gevent.config.track_greenlet_tree = False
monkey.patch_all()
# Native threads look up names: with a slow name server each background task may need one.
gevent.get_hub().threadpool_size = 40

import os
import resource
import sys

from dotenv import find_dotenv, load_dotenv

from settings import Settings, SettingsError

# The file that Flask's commands read.
load_dotenv(find_dotenv(usecwd=True))
try:
    # Checked before the first worker: gunicorn would restart a worker that can't start, again and again.
    settings = Settings.from_env(os.environ)
except SettingsError as problem:
    sys.exit(str(problem))

bind = f"{settings.host}:{settings.port}"
# With more, requests of a polling client would reach workers that do not have its session.
workers = 1
worker_class = "server.worker.worker.Worker"
# Each player's socket is a connection and an open file. The default of 1,000 connections would leave none
# for HTTP, and a process has a limit of 1,024 files unless it raises it. Some are reserved for the database.
RESERVED_FILES = 100
MOST_CONNECTIONS = 20_000
_, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
files = MOST_CONNECTIONS + RESERVED_FILES
if allowed != resource.RLIM_INFINITY:
    files = min(files, allowed)
resource.setrlimit(resource.RLIMIT_NOFILE, (files, allowed))
worker_connections = max(files - RESERVED_FILES, files // 2)
# After a restart all clients reconnect at once. The kernel of a client that is not accepted retries after one
# second, then after three.
backlog = 8_192
graceful_timeout = 28
timeout = 60
keepalive = 5
# Its path is fixed, so two servers on one machine would share it.
control_socket_disable = True
logger_class = "server.worker.worker.JsonLogger"
loglevel = settings.log_level
