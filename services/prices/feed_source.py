"""Asking for the feed's document: within bounds, conditionally, and again when a try fails at once."""

import random
import threading
from dataclasses import dataclass
from http import HTTPStatus

import requests

from services import http_client
from services.prices.errors import BadDocument, SourceUnavailable, Stopped
from services.prices.sources import Validators

MOST_BYTES = 64 * 1024 * 1024
MOST_SECONDS = 60.0
REDIRECTS = 3
MOST_VALIDATOR = 500

RETRY_SECONDS = (0.5, 1.5)
"""The longest waits before the second and the third try; how much of them is up to chance."""


@dataclass(frozen=True)
class Fetched:
    """A whole document, not yet looked at, and what to say of it the next time."""

    body: bytes
    validators: Validators


@dataclass(frozen=True, kw_only=True)
class FeedSource:
    """Where the feed is, and how much of it is taken."""

    url: str
    most_bytes: int = MOST_BYTES
    most_seconds: float = MOST_SECONDS
    retry_seconds: tuple[float, ...] = RETRY_SECONDS

    def fetch(self, *, known: Validators | None, stop: threading.Event) -> Fetched | None:
        """The document; None when it is the one that is ``known``.

        Raises BadDocument when it is too large or too slow, SourceUnavailable, and Stopped.
        """
        for wait in self.retry_seconds:
            try:
                return self._ask(known)
            except SourceUnavailable as failure:
                if not failure.quick:
                    raise
            if stop.wait(wait * random.uniform(0.5, 1)):  # noqa: S311  # so that many do not come back at once
                raise Stopped
        return self._ask(known)

    def _ask(self, known: Validators | None) -> Fetched | None:
        try:
            with http_client.bounded(
                requests.Session(),
                seconds=self.most_seconds,
                max_bytes=self.most_bytes,
                redirects=REDIRECTS,
            ) as session:
                response = session.get(self.url, headers=_conditions(known))
        except http_client.ResponseTooLarge:
            raise BadDocument("the price feed is too large") from None
        except requests.Timeout:
            raise SourceUnavailable("the price feed took too long") from None
        except requests.ConnectionError:
            raise SourceUnavailable("the price feed can't be reached, or broke off", quick=True) from None
        except requests.RequestException:
            raise SourceUnavailable("the price feed can't be asked") from None
        if response.status_code == HTTPStatus.NOT_MODIFIED and known is not None:
            return None
        if response.status_code != HTTPStatus.OK:
            quick = response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR
            raise SourceUnavailable(f"the price feed answered {response.status_code}", quick=quick)
        return Fetched(response.content, _validators(response))


def _conditions(known: Validators | None) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    if known and known.etag:
        headers["If-None-Match"] = known.etag
    if known and known.last_modified:
        headers["If-Modified-Since"] = known.last_modified
    return headers


def _validators(response: requests.Response) -> Validators:
    return Validators(
        etag=_kept(response.headers.get("ETag")), last_modified=_kept(response.headers.get("Last-Modified"))
    )


def _kept(value: str | None) -> str | None:
    """A validator that fits into the database and into a header; others are done without."""
    if value is None or len(value) > MOST_VALIDATOR or not value.isascii() or not value.isprintable():
        return None
    return value
