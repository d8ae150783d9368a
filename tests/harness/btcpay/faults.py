"""What may go wrong with a request to the fake.

A test plans faults for its next requests; a storm lets a random generator choose them.
"""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from types import MappingProxyType
from typing import TypeVar


class Fault(StrEnum):
    """``done`` in a comment: the work of the request."""

    NONE = "no fault"  # done; for a strike alone
    SLOW = "answers late, but in time"  # done
    TOO_SLOW = "answers later than the client waits"  # done
    HELD = "does the work later than the client waits, and answers"
    NO_ANSWER = "closes the connection before the work"  # not done
    LOST_ANSWER = "closes the connection after the work"  # done
    LATE_WORK = "closes the connection and does the work seconds later"
    ERROR_BEFORE = "500 before the work"  # not done
    ERROR_AFTER = "500 after the work"  # done
    UNAVAILABLE = "503"  # not done
    REFUSED_CONNECTIONS = "refuses connections for a while"  # not done
    STALE = "answers an earlier state"


RANDOM = tuple(fault for fault in Fault if fault is not Fault.NONE)
READING = tuple(fault for fault in RANDOM if fault not in (Fault.LATE_WORK, Fault.HELD))
WRITING = tuple(fault for fault in RANDOM if fault is not Fault.STALE)

Strike = Callable[[int], None]
"""Called while a request is in flight, with the port of the client's connection."""


Each = TypeVar("Each")


def endless(bag: Sequence[Each], random: Random) -> Iterator[Each]:
    """Draw from a bag that is filled again when it is empty, so that each kind comes equally often."""
    while bag:
        yield from random.sample(bag, len(bag))


@dataclass(frozen=True)
class Planned:
    """What happens to one request. The strike comes after the work, if that is done in time."""

    fault: Fault
    strike: Strike | None = None
    hold_seconds: float | None = None
    """Of HELD; by default as long as of TOO_SLOW."""


@dataclass
class Timing:
    """Seconds of the faults. The platform waits for ten."""

    slow: float = 1.5
    too_slow: float = 11.0
    late_work: float = 3.0
    refused: float = 2.0


class Faults:
    """Chooses the fault of each request. ``log`` has the operation and the fault of each that happened."""

    def __init__(self, seed: object) -> None:
        self.timing = Timing()
        self.log: list[tuple[str, Fault]] = []
        self._seed = seed
        self._planned: dict[str, deque[Planned]] = defaultdict(deque)
        self._probability = 0.0
        self._probabilities: Mapping[str, float] = {}
        self._kinds: Sequence[Fault] = RANDOM
        self._randoms: dict[str, Random] = {}
        self._bags: dict[str, Iterator[Fault]] = {}
        self._guard = threading.Lock()

    def next(
        self,
        operation: str,
        *faults: Fault,
        strike: Strike | None = None,
        hold_seconds: float | None = None,
    ) -> None:
        """Plan these faults for the next requests of an operation, such as "create payout"."""
        with self._guard:
            self._planned[operation].extend(Planned(fault, strike, hold_seconds) for fault in faults)

    def forget(self, operation: str) -> bool:
        """Drop what is planned for an operation. Returns whether anything was left."""
        with self._guard:
            return bool(self._planned.pop(operation, ()))

    def randomly(
        self,
        probability: float,
        kinds: Sequence[Fault] = RANDOM,
        operations: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        """From now on, let requests fail with this probability, each kind equally often.

        ``operations`` have others, by their names.
        """
        with self._guard:
            self._probability, self._probabilities, self._kinds = probability, operations, kinds
            self._bags.clear()

    def stop(self) -> None:
        """No fault from now on."""
        with self._guard:
            self._probability, self._probabilities = 0.0, {}
            self._planned.clear()

    def draw(self, operation: str, *, is_writing: bool) -> Planned:
        """What happens to a request."""
        with self._guard:
            planned = self._planned[operation].popleft() if self._planned[operation] else None
            random = self._randoms.setdefault(operation, Random(f"{self._seed}/{operation}"))
            if planned is None:
                is_hit = random.random() < self._probabilities.get(operation, self._probability)
                if operation not in self._bags:
                    kinds = [each for each in (WRITING if is_writing else READING) if each in self._kinds]
                    self._bags[operation] = endless(kinds, random)
                planned = Planned(next(self._bags[operation], Fault.NONE) if is_hit else Fault.NONE)
            if planned.fault is not Fault.NONE:
                self.log.append((operation, planned.fault))
            return planned
