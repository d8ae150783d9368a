"""Requests a second of two servers, in turns."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.speed.compare import Comparison, in_turns
from bench.speed.stage import Get, Stage
from tests.support.servers import RunningServer


@dataclass(frozen=True)
class Asked:
    """A server, and what it is asked for in turn."""

    server: RunningServer
    gets: Sequence[Get]


@dataclass(frozen=True)
class RequestsPerSecond:
    """What two servers answered, and how busy the load tool was at its busiest."""

    compared: Comparison
    busy: float

    def __str__(self) -> str:
        return f"{self.compared.told('requests/s')}; load tool {self.busy:.0%} busy"


def requests_per_second(stage: Stage, ours: Asked, theirs: Asked) -> RequestsPerSecond:
    """Ask both as fast as they answer."""
    busy = [0.0]

    def ask(asked: Asked) -> float:
        load = stage.ask(asked.server, asked.gets)
        busy.append(load.busy)
        return load.per_second

    compared = in_turns(lambda: ask(ours), lambda: ask(theirs), rounds=stage.rounds)
    return RequestsPerSecond(compared, max(busy))
