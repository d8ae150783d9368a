"""The production app with a view that says whether an avatar is being rendered."""

from wsgi import app


@app.get("/rendering")
def rendering():
    return {"rendering": not app.extensions["services"].worker_pool._workers._free}
