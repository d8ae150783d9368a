"""HTTP calls to a BTCPay Server: which failures mean that nothing was done, and which may not."""

import re
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from ssl import SSLCertVerificationError
from typing import Any

import orjson
import requests
from urllib3 import PoolManager
from urllib3.exceptions import MaxRetryError, NewConnectionError, SSLError

from services.payments.provider import (
    CALL_SECONDS,
    Declined,
    NotAllowed,
    NotDone,
    OutcomeUnknown,
    ProviderError,
)
from services.shared.http_client import bounded

MAX_BYTES = 4 * 1024 * 1024
MAX_LIST_BYTES = 128 * 1024 * 1024

KEPT_OPEN = 10
"""Connections that stay open for the next calls."""
IDLE_SECONDS = 30
"""After a pause as long as this they are closed, since what is between may have dropped them silently."""

ERROR_CODE = re.compile(r"[a-z-]{1,40}", re.ASCII)
REFUSALS = {"amount-too-low"}
"""The codes of definite refusals. Others can be mended: no rate, no funds, a setting."""
REFUSED_FIELDS = {"amount", "destination"}
"""Bad values of these are definite refusals."""
LOOK_AGAIN = {"invalid-state", "old-revision"}
"""The codes that say that the payout is not as it was shown."""


class BtcPayApi:
    """The Greenfield API of one server, with one API key."""

    def __init__(self, *, url: str, api_key: str) -> None:
        self._url = url
        self._headers = {"Authorization": f"token {api_key}", "Accept": "application/json"}
        self._connections = PoolManager(maxsize=KEPT_OPEN)
        self._used_at = 0.0

    def read(
        self,
        path: str,
        *,
        query: Sequence[tuple[str, str]] = (),
        seconds: float = CALL_SECONDS,
        max_bytes: int = MAX_BYTES,
    ) -> Any:
        """The JSON document at a path; None if there is none. Raises a ProviderError for any failure."""
        response = self._send("GET", path, seconds=seconds, max_bytes=max_bytes, params=query)
        if response.status_code == HTTPStatus.NOT_FOUND:
            return None
        if response.status_code != HTTPStatus.OK:
            raise _failure(response)
        return _document(response)

    def write(self, method: str, path: str, *, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON document that answers a change, None if it is empty.

        Deleting what is not there is no failure. Raises Declined, OutcomeUnknown and NotDone.
        """
        response = self._send(method, path, seconds=CALL_SECONDS, max_bytes=MAX_BYTES, json=body)
        if method == "DELETE" and response.status_code == HTTPStatus.NOT_FOUND:
            return None
        if response.status_code == HTTPStatus.OK:
            return _document(response) if response.content else None
        raise _failure(response)

    def _send(
        self, method: str, path: str, *, seconds: float, max_bytes: int, **options: Any
    ) -> requests.Response:
        call = bounded(
            requests.Session(), seconds=seconds, max_bytes=max_bytes, connections=self._open_connections()
        )
        try:
            with call as session:
                # No .netrc, no proxy of the environment.
                session.trust_env = False
                return session.request(method, f"{self._url}{path}", headers=self._headers, **options)
        except requests.RequestException as error:
            if _was_never_connected(error):
                raise NotDone("the provider can't be reached") from None
            raise OutcomeUnknown("the provider did not answer in time, or closed the connection") from None

    def _open_connections(self) -> PoolManager:
        if time.monotonic() - self._used_at > IDLE_SECONDS:
            self._connections.clear()
        self._used_at = time.monotonic()
        return self._connections


def _was_never_connected(error: requests.RequestException) -> bool:
    """Whether the request can't have been sent."""
    if isinstance(error, requests.ConnectTimeout):
        return True
    cause = error.args[0] if error.args else None
    reason = cause.reason if isinstance(cause, MaxRetryError) else cause
    if isinstance(reason, SSLError):
        # Other failures of TLS may come after the request.
        return any(isinstance(each, SSLCertVerificationError) for each in reason.args)
    return isinstance(reason, NewConnectionError)


def _document(response: requests.Response) -> Any:
    try:
        return orjson.loads(response.content)
    except ValueError:
        raise OutcomeUnknown("the provider's answer is not JSON") from None


def _failure(response: requests.Response) -> ProviderError:
    status = response.status_code
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return OutcomeUnknown(f"the provider answered with status {status}")
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return NotAllowed(f"the provider does not allow it: status {status}")
    if status not in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
        # Such as 429.
        return NotDone(f"the provider answered with status {status}")
    reasons = _reasons(response)
    kind: type[ProviderError] = NotDone
    if LOOK_AGAIN.intersection(reasons):
        kind = OutcomeUnknown
    elif (REFUSALS | REFUSED_FIELDS).intersection(reasons):
        kind = Declined
    text = f"the provider refused: {', '.join(reasons) or f'status {status}'}"
    return kind(text, is_about_this_only=True)


def _reasons(response: requests.Response) -> list[str]:
    """The error code, or the names of the bad fields. The provider's sentences may contain addresses."""
    try:
        document = orjson.loads(response.content)
    except ValueError:
        return []
    entries = document if isinstance(document, list) else [document]
    names = [str(entry.get("code") or entry.get("path", "")) for entry in entries if isinstance(entry, dict)]
    folded = [re.sub(r"^.*[.$]", "", name).lower() if name[:1] == "$" else name.lower() for name in names]
    return [name for name in folded if ERROR_CODE.fullmatch(name)]
