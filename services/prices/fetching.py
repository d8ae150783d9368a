"""HTTP requests to the price sources."""

import requests

from services.prices.errors import BadDocument, SourceFailed
from services.shared import http_client


def fetch(
    url: str,
    *,
    name: str,
    seconds: float,
    max_bytes: int,
    params: dict[str, str] | None = None,
    redirects: int = 0,
) -> requests.Response:
    """GET a whole response of whatever status, within ``seconds`` and ``max_bytes``.

    ``name`` stands for the source in error texts, which never contain its URL. Raises SourceFailed, and
    BadDocument for a response that is too large.
    """
    session = http_client.bounded(
        requests.Session(), seconds=seconds, max_bytes=max_bytes, redirects=redirects
    )
    try:
        with session as opened:
            return opened.get(url, params=params, headers={"Accept": "application/json"})
    except http_client.ResponseTooLarge:
        raise BadDocument(f"the response of {name} is too large") from None
    except requests.Timeout:
        raise SourceFailed(f"{name} took too long") from None
    except requests.ConnectionError:
        raise SourceFailed(f"{name} can't be reached, or broke off") from None
    except requests.RequestException:
        raise SourceFailed(f"the request to {name} failed") from None
