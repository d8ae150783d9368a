"""Headers that every response carries: what browsers must not do with it, and who may keep it."""

from flask import Flask, Response, g

PRIVATE = "no-store"
"""A player's own response must not be shown to the next one at the same machine."""

YEAR_SECONDS = 31_536_000


def set_response_headers(app: Flask, *, https: bool) -> None:
    """Add the security headers that a response lacks, and ``no-store`` to what is one player's own.

    ``https`` says that clients reach this service by it.
    """
    headers = security_headers(https=https)

    @app.after_request
    def complete(response: Response) -> Response:
        for name, value in headers:
            if name not in response.headers:
                response.headers.add(name, value)
        if g.get("is_private"):
            response.headers["Cache-Control"] = PRIVATE
        return response


def security_headers(*, https: bool) -> list[tuple[str, str]]:
    """The defaults. A page states itself what it loads."""
    headers = [
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
    ]
    if https:
        headers.append(("Strict-Transport-Security", f"max-age={YEAR_SECONDS}"))
    return headers
