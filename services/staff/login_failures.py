"""Wrong tries to sign in, and the locks that follow from them.

- Five in 15 minutes from one network (an IPv4 address, or an IPv6 /64) lock the name for that network until
  the first of them is 15 minutes old.
- Fifty in a day lock the name for all networks. Somebody who only knows a name could keep its owner out like
  that, so the tries of others do not count at a known network: one from which the account has signed in
  within the last 30 days. There it is locked by the tries from there only.
- ``flask staff reset NAME --tries`` forgets all tries.

Tries with names that nobody has are counted in the same way, so a lock does not say whether a name exists.
"""

import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from models.db.connection import database, writing
from models.staff import StaffAccount, StaffLoginFailure
from services.shared.clock import DAY_MS, MINUTE_MS, Millis
from services.staff import sessions
from services.staff.errors import TooManyTries

NETWORK_TRIES, NETWORK_WINDOW_MS = 5, 15 * MINUTE_MS
DAILY_TRIES = 50
NOBODY = 0


@dataclass(frozen=True)
class Try:
    """A try that has begun. It counts as wrong unless it is forgotten or taken back."""

    id: int
    digest: str
    network: str
    is_last: bool
    """Whether the name is locked if this one is wrong."""


class LoginFailures:
    """Counts wrong tries by name and network."""

    def __init__(self, *, key: bytes) -> None:
        """``key`` is for the digests of names."""
        self._key = key

    def begin(self, name: str, *, account: StaffAccount | None, network: str, now: Millis) -> Try:
        """Count a try before anything of it is verified, so that no more can run at once than may be wrong.

        ``account`` is the one with this name. Raises TooManyTries.
        """
        digest = self._digest(name)
        # Statements for nobody's id: how long the answer takes must not say whether the name exists.
        account_id = NOBODY if account is None else account.id
        row = StaffLoginFailure
        with writing():
            if database.for_update:
                # Tries for one account come one after another.
                StaffAccount.select().where(StaffAccount.id == account_id).for_update().execute()
            row.delete().where(~row.at_ms.between(now - DAY_MS + 1, now + sessions.LATENESS_MS)).execute()
            tries: Any = row.select(row.at_ms, row.network).where(row.name_digest == digest)
            times = [(at, place) for at, place in tries.order_by(row.at_ms).tuples()]
            here = [at for at, place in times if place == network]
            is_known = sessions.is_known(network, account_id=account_id, now=now)
            of_day = here if is_known else [at for at, _ in times]
            recent = [at for at in here if at > now - NETWORK_WINDOW_MS]
            ends = [
                *_end(recent, most=NETWORK_TRIES, window_ms=NETWORK_WINDOW_MS),
                *_end(of_day, most=DAILY_TRIES, window_ms=DAY_MS),
            ]
            if ends:
                raise TooManyTries(retry_after_seconds=max(1, -(-(max(ends) - now) // 1000)))
            id_ = int(row.insert(name_digest=digest, network=network, at_ms=now).execute())
        is_last = len(recent) + 1 == NETWORK_TRIES or len(of_day) + 1 == DAILY_TRIES
        return Try(id_, digest, network, is_last)

    def forget(self, begun: Try) -> None:
        """The try was right: forget it, and the wrong ones with this name from this network."""
        row = StaffLoginFailure
        with writing():
            of_name = row.name_digest == begun.digest
            row.delete().where(of_name, row.network == begun.network).execute()

    def take_back(self, begun: Try) -> None:
        """Nothing was verified, so the try was neither right nor wrong."""
        with writing():
            StaffLoginFailure.delete().where(StaffLoginFailure.id == begun.id).execute()

    def count(self, *, since: Millis, except_for: Collection[str]) -> int:
        """How many tries have begun since a time with other names than these."""
        row, digests = StaffLoginFailure, [self._digest(name) for name in except_for]
        return int(row.select().where(row.at_ms >= since, row.name_digest.not_in(digests)).count())

    def forget_all(self, name: str) -> int:
        """Forget the tries with this name. Returns how many there were."""
        with writing():
            of_name = StaffLoginFailure.name_digest == self._digest(name)
            return int(StaffLoginFailure.delete().where(of_name).execute())

    def _digest(self, name: str) -> str:
        return hmac.digest(self._key, name.encode(), "sha256").hex()


def _end(times: Sequence[int], *, most: int, window_ms: int) -> list[Millis]:
    """When so many tries of a window allow another one, if there are as many. ``times`` are ascending."""
    return [Millis(times[-most] + window_ms)] if len(times) >= most else []
