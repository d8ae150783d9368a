"""A drand network of one, inside this process, for development: the house holds its key."""

import os
import secrets
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from services.beacon.chain import DOMAIN, Chain, message_of
from services.beacon.relays import Beacon
from services.shared.background import in_native_thread
from services.shared.clock import Millis

FILE_NAME = "beacon.key"
PERIOD = 3


class DemoRelay:
    """Answers as a relay of the public network does, with beacons of its own key."""

    url = "demo"

    def __init__(self, directory: Path, *, clock: Callable[[], Millis]) -> None:
        """``directory`` is where the key is kept, so that rounds stay the same after a restart."""
        self._directory, self._clock = directory, clock

    @cached_property
    def chain(self) -> Chain:
        """The network. The file of its key is made when it is first used."""
        return Chain(
            public_key=(G2Point() * self._secret).to_compressed_bytes().hex(),
            group_hash="00" * 32,
            genesis=1_600_000_000,
            period=PERIOD,
            beacon_id="demo",
        )

    @cached_property
    def _secret(self) -> Scalar:
        return Scalar.from_be_bytes_mod_order(_key(self._directory / FILE_NAME))

    def newest(self) -> Beacon:
        """The beacon of the round that is due now."""
        # The round after a time that has passed is the next one.
        return in_native_thread(self._sign, self.chain.first_round_at(self._clock() + 1) - 1)

    def of_round(self, round_: int) -> Beacon | None:
        """The beacon of a round; None until its time."""
        is_due = self.chain.time_ms(round_) <= self._clock()
        return in_native_thread(self._sign, round_) if is_due else None

    def _sign(self, round_: int) -> Beacon:
        point = G1Point.hash_to_curve(message_of(round_), DOMAIN) * self._secret
        signature = point.to_compressed_bytes().hex()
        return Beacon(round_, signature, self.chain.verify(round_, signature))


def _key(path: Path) -> bytes:
    """The key in the file, which is made once. Of processes that start at once, one makes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    if not path.exists():
        new.touch(mode=0o600)
        new.write_bytes(secrets.token_bytes(48))
        try:
            os.link(new, path)
        except FileExistsError:
            pass
        finally:
            new.unlink()
    return path.read_bytes()
