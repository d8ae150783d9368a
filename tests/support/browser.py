"""A browser that logs in: it keeps the app's cookies and follows redirects step by step."""

from urllib.parse import parse_qsl, urlencode, urlsplit

import requests
from flask import Flask
from werkzeug.test import Cookie, TestResponse

BASE_URL, DOMAIN = "http://127.0.0.1:5000", "127.0.0.1"


class Browser:
    """One player's browser, at this app and at providers."""

    def __init__(self, app: Flask, *, base_url: str = BASE_URL) -> None:
        self.client = app.test_client()
        self.base_url = base_url

    def begin(self, provider: str) -> str:
        """Begin a login; returns the URL of the redirect to the provider."""
        answer = self.client.get(f"/auth/{provider}", base_url=self.base_url)
        assert answer.status_code == 302
        return str(answer.headers["Location"])

    def at_provider(self, address: str) -> str:
        """Log in at the provider; returns the URL of the redirect back to the app."""
        answer = requests.get(address, allow_redirects=False, timeout=10)
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]

    def back(self, address: str) -> TestResponse:
        """Follow the redirect back to the app."""
        assert address.startswith(f"{self.base_url}/auth/"), address
        return self.client.get(address, base_url=self.base_url)

    def cookie(self, name: str) -> Cookie | None:
        """A cookie that the app set for a login, or None."""
        return self.client.get_cookie(name, domain=DOMAIN, path="/auth")

    def log_in(self, provider: str) -> TestResponse:
        """Do all of a login; returns the app's last redirect."""
        return self.back(self.at_provider(self.begin(provider)))


def parameters(address: str) -> dict[str, str]:
    """The parameters of an address."""
    return dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))


def changed(address: str, **changes: str | None) -> str:
    """The address with some parameters changed, added, or, with None, left out.

    A dot in a name is written as two underscores.
    """
    renamed = {name.replace("__", "."): value for name, value in changes.items()}
    kept = {name: value for name, value in (parameters(address) | renamed).items() if value is not None}
    return f"{address.partition('?')[0]}?{urlencode(kept)}"
