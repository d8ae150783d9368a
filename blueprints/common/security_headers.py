"""What every answer tells the browser not to do with it."""

from flask import Flask, Response, g

NOTHING_MAY_LOAD = "default-src 'none'; frame-ancestors 'none'"
"""For what is no page. Pages say themselves what they are made of."""

YEAR_SECONDS = 31_536_000


def add_security_headers(app: Flask, *, https: bool) -> None:
    """Add what an answer does not say for itself; ``https`` when the world reaches this service by it."""

    @app.after_request
    def add(response: Response) -> Response:
        headers = response.headers
        headers.setdefault("Content-Security-Policy", NOTHING_MAY_LOAD)
        headers.setdefault("X-Content-Type-Options", "nosniff")
        headers.setdefault("X-Frame-Options", "DENY")
        headers.setdefault("Referrer-Policy", "no-referrer")
        if https:
            headers.setdefault("Strict-Transport-Security", f"max-age={YEAR_SECONDS}")
        if "user" in g:
            # One player's answer must not be shown to the next one at the same machine.
            headers.setdefault("Cache-Control", "no-store")
        return response
