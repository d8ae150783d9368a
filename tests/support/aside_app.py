"""The production app with a view that tells how much work is being done aside."""

from wsgi import app


@app.get("/under-way")
def under_way():
    return {"underWay": len(app.extensions["platform"].aside)}
