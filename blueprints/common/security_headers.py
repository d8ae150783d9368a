"""What every answer tells the browser not to do with it."""

NOTHING_MAY_LOAD = "default-src 'none'; frame-ancestors 'none'"
"""For what is no page. Pages say themselves what they are made of."""

YEAR_SECONDS = 31_536_000


def security_headers(*, https: bool) -> list[tuple[str, str]]:
    """For an answer that does not say them itself; ``https`` when the world reaches this service by it."""
    headers = [
        ("Content-Security-Policy", NOTHING_MAY_LOAD),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
    ]
    if https:
        headers.append(("Strict-Transport-Security", f"max-age={YEAR_SECONDS}"))
    return headers
