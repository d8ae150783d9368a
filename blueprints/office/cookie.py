"""The cookie of the back office: it has the text of the session's row, and that of the CSRF tokens."""

from typing import Any

from flask import Flask, Request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface

from services.shared.encryption import derive_key
from settings import Settings

PATH = "/office"
PURPOSE = "cookies of the office"


class OfficeCookie(SecureCookieSessionInterface):
    """Flask's signed cookie, for the paths of the back office only.

    Requests of the API neither read nor write it, so their responses never vary by it.
    """

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        return super().open_session(app, request) if request.path.startswith(f"{PATH}/") else None


def use_cookie(app: Flask, settings: Settings) -> None:
    """Sign cookies with a key of their own, and send them to the back office only."""
    keys: Any = [
        derive_key(key, PURPOSE).hex() for key in (settings.secret_key, *settings.previous_secret_keys)
    ]
    app.session_interface = OfficeCookie()
    app.config.update(
        SECRET_KEY=keys[0],
        SECRET_KEY_FALLBACKS=keys[1:],
        SESSION_COOKIE_NAME="office",
        SESSION_COOKIE_PATH=PATH,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SECURE=settings.base_url.startswith("https:"),
        SESSION_COOKIE_SAMESITE="Strict",
    )
