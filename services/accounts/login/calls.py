"""HTTP calls to a login provider, with a short time limit because a player waits for them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, TypeVar

import requests

from services.accounts.login.errors import ProviderUnavailable
from services.shared import decimal_json
from services.shared.http_client import bounded

SECONDS = 5.0
MAX_BYTES = 512 * 1024

Session = TypeVar("Session", bound=requests.Session)


@contextmanager
def provider_session(session: Session) -> Iterator[Session]:
    """A session for one call. Raises ProviderUnavailable, without the URL, which can contain a key."""
    try:
        with bounded(session, seconds=SECONDS, max_bytes=MAX_BYTES):
            yield session
    except requests.RequestException:
        raise ProviderUnavailable("the provider did not answer") from None


def get_document(
    url: str, *, query: Mapping[str, str] | None = None, bearer: str | None = None
) -> dict[str, Any]:
    """The JSON object at a URL of the provider. Raises ProviderUnavailable."""
    headers = {"Accept": "application/json"}
    if bearer is not None:
        headers["Authorization"] = f"Bearer {bearer}"
    with provider_session(requests.Session()) as session:
        response = session.get(url, params=query, headers=headers)
    if response.status_code != HTTPStatus.OK:
        raise ProviderUnavailable("the provider answered with an error")
    try:
        document = decimal_json.loads(response.content)
    except ValueError:
        raise ProviderUnavailable("the provider's answer is not JSON") from None
    if not isinstance(document, dict):
        raise ProviderUnavailable("the provider's answer is not an object")
    return document
