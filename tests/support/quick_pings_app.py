"""The production app with a ping every half second instead of every 25."""

from app import create_app
from models.db.postgres import cooperate_with_gevent

cooperate_with_gevent()
app = create_app()
app.extensions["realtime"].server.eio.ping_interval = 0.5
