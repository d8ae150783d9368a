"""Headers that every response carries: what browsers must not do with it, and who may keep it."""

from flask import Flask, Response, g

NOTHING_LOADS = "default-src 'none'; frame-ancestors 'none'"

PRIVATE = "no-store"
"""A player's own response must not be shown to the next one at the same machine."""

YEAR_SECONDS = 31_536_000


def set_response_headers(app: Flask, *, https: bool) -> None:
    """Add the security headers, and ``no-store`` to what is one player's own. A page has its own policy.

    ``https`` says that clients reach this service by it.
    """
    headers = security_headers(https=https)

    @app.after_request
    def complete(response: Response) -> Response:
        if "Content-Security-Policy" not in response.headers:
            response.headers.add("Content-Security-Policy", NOTHING_LOADS)
        response.headers.extend(headers)
        if g.get("is_private"):
            response.headers["Cache-Control"] = PRIVATE
        return response


def security_headers(*, https: bool) -> list[tuple[str, str]]:
    """Those that all responses have alike."""
    headers = [
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
    ]
    if https:
        headers.append(("Strict-Transport-Security", f"max-age={YEAR_SECONDS}"))
    return headers
