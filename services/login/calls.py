"""Calls to a provider: short ones, because a player is waiting for them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, TypeVar

import requests

from services import exact_json
from services.login.errors import ProviderUnavailable
from services.web import bounded

SECONDS = 5.0
MOST_BYTES = 512 * 1024

Session = TypeVar("Session", bound=requests.Session)


@contextmanager
def provider_session(session: Session) -> Iterator[Session]:
    """Bound a session's calls. Whatever goes wrong on their way becomes ProviderUnavailable."""
    bounded(session, seconds=SECONDS, most_bytes=MOST_BYTES)
    try:
        with session:
            yield session
    except requests.RequestException as error:
        raise ProviderUnavailable("the provider did not answer") from error


def get_document(
    address: str, *, query: Mapping[str, str] | None = None, bearer: str | None = None
) -> dict[str, Any]:
    """The JSON object at an address of the provider. Raises ProviderUnavailable."""
    headers = {"Accept": "application/json"}
    if bearer is not None:
        headers["Authorization"] = f"Bearer {bearer}"
    with provider_session(requests.Session()) as session:
        response = session.get(address, params=query, headers=headers)
    if response.status_code != HTTPStatus.OK:
        raise ProviderUnavailable("the provider answered with an error")
    try:
        document = exact_json.loads(response.content)
    except ValueError:
        raise ProviderUnavailable("the provider's answer is not JSON") from None
    if not isinstance(document, dict):
        raise ProviderUnavailable("the provider's answer is not an object")
    return document
