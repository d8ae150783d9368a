"""A Socket.IO client over polling, controlled by a test."""

import json
from typing import Any

import requests

POLLING = "/socket.io/?EIO=4&transport=polling"
TIMEOUT_SECONDS = 15


class PollingClient:
    """An Engine.IO connection over polling that has been opened."""

    def __init__(self, url: str) -> None:
        self.url = url
        opened = requests.get(url + POLLING, timeout=TIMEOUT_SECONDS).text
        self.path = f"{POLLING}&sid={json.loads(opened[1:])['sid']}"

    def join(self, auth: Any = None) -> int:
        return self.post("40" + ("" if auth is None else json.dumps(auth)))

    def post(self, packets: str) -> int:
        """Send packets; the status of the answer. Raises requests.Timeout when there is none in time."""
        return requests.post(self.url + self.path, data=packets, timeout=TIMEOUT_SECONDS).status_code

    def leave(self) -> None:
        self.post("41")

    def poll(self) -> str:
        """The packets that wait, or come first. Raises requests.Timeout."""
        return requests.get(self.url + self.path, timeout=TIMEOUT_SECONDS).text
