"""The production app with a view that makes PostgreSQL sleep, and one that finds it sleeping."""

from models.db.connection import database, reading
from wsgi import app

SLEEPERS = "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(2)' AND state = 'active'"


@app.get("/slow-query")
@reading()
def slow_query():
    database.execute_sql("SELECT pg_sleep(2)")
    return {}


@app.get("/while-the-query-sleeps")
@reading()
def while_the_query_sleeps():
    while not database.execute_sql(SLEEPERS).fetchone()[0]:
        pass
    return {}
