"""The production app, which compares with the database every 50 ms instead of every two seconds."""

from app import create_app
from models.db.postgres import cooperate_with_gevent
from server.cluster import cluster

cluster.ROUND_SECONDS = 0.05
cooperate_with_gevent()
app = create_app()
