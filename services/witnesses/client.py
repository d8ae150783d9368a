"""Asking one witness for its cosignature: ``add-checkpoint`` of https://c2sp.org/tlog-witness."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

import requests
from urllib3 import PoolManager

from services.log.notes import BadNote, Checkpoint, encode_base64
from services.shared.clock import Millis
from services.shared.http_client import bounded
from services.witnesses.keys import WitnessKey

SECONDS = 5.0
MAX_BYTES = 64 * 1024
IDLE_SECONDS = 30
"""A connection that was not used for so long is closed: what is between may have dropped it silently."""

SIZE = re.compile(rb"(0|[1-9][0-9]{0,18})\n?")

NOT_KNOWN = "it does not know the log: ask its operator to add the log's key"
OTHER_TREE = "it has signed another tree of this size or a smaller one, and refuses this one"


class WitnessAway(Exception):
    """The witness gave no cosignature. ``str()`` says why, without a word of the answer."""


@dataclass(frozen=True)
class Cosignature:
    """A verified line of a witness."""

    line: str
    at: Millis
    """When it was made, by the clock of the witness."""


@dataclass(frozen=True)
class OtherSize:
    """The size of the newest checkpoint that the witness has cosigned: the proof must begin there."""

    size: int


class WitnessClient:
    """One witness: its key and its submission prefix. The connection stays open."""

    def __init__(self, key: WitnessKey, url: str) -> None:
        self.key = key
        self.url = url.rstrip("/")
        self._connections = PoolManager(maxsize=1)
        self._used_at = 0.0

    def add_checkpoint(
        self, checkpoint: Checkpoint, note: str, *, old_size: int, proof: Sequence[bytes]
    ) -> list[Cosignature] | OtherSize:
        """Submit a checkpoint, whose signed note this is, with the proof that it continues the old size.

        Raises WitnessAway.
        """
        lines = [f"old {old_size}", *map(encode_base64, proof), "", note]
        response = self._post("\n".join(lines).encode())
        if response.status_code == HTTPStatus.CONFLICT:
            found = SIZE.fullmatch(response.content)
            if found is None:
                raise WitnessAway("it answered with a conflict, and not with its size")
            return OtherSize(int(found[1]))
        if response.status_code in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            raise WitnessAway(NOT_KNOWN)
        if response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY:
            raise WitnessAway(OTHER_TREE)
        if response.status_code != HTTPStatus.OK:
            raise WitnessAway(f"it answered with status {response.status_code}")
        return self._cosignatures(response.content, checkpoint)

    def _cosignatures(self, content: bytes, checkpoint: Checkpoint) -> list[Cosignature]:
        """The lines of this witness; those of unknown keys are ignored."""
        found = []
        try:
            for line in content.decode().split("\n"):
                at = self.key.time_of(line, checkpoint)
                if at is not None:
                    found.append(Cosignature(line, at))
        except (BadNote, UnicodeDecodeError):
            raise WitnessAway("its cosignature is not valid") from None
        if not found:
            raise WitnessAway("its answer has no cosignature of its key")
        return found

    def _post(self, body: bytes) -> requests.Response:
        if time.monotonic() - self._used_at > IDLE_SECONDS:
            self._connections.clear()
        self._used_at = time.monotonic()
        call = bounded(
            requests.Session(), seconds=SECONDS, max_bytes=MAX_BYTES, connections=self._connections
        )
        try:
            with call as session:
                return session.post(f"{self.url}/add-checkpoint", data=body)
        except requests.RequestException:
            raise WitnessAway("it did not answer") from None
