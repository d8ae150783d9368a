"""Measures the requests a second of two servers in turns."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.harness.servers import RunningServer
from bench.speed.asking import Get, Load
from bench.speed.compare import Comparison, in_turns
from bench.speed.stage import Stage


@dataclass(frozen=True)
class Asked:
    """A server, its requests, and the results.

    ``patience`` multiplies the time of a slow server, so that it answers enough requests.
    """

    server: RunningServer
    gets: Sequence[Get]
    patience: float = 1
    loads: list[Load] = field(default_factory=list)

    def ask(self, stage: Stage) -> float:
        """Send requests as fast as it answers."""
        load = stage.ask(self.server, self.gets, seconds=self.patience * stage.seconds)
        self.loads.append(load)
        return load.per_second

    @property
    def cpu_us(self) -> float:
        """CPU time of an answer, which can be compared even on a busy machine."""
        return statistics.median(load.cpu_us for load in self.loads)


@dataclass(frozen=True)
class RequestsPerSecond:
    """The results of two servers, and the largest load of the load tool."""

    compared: Comparison
    cpu_us: tuple[float, float]
    busy: float

    def __str__(self) -> str:
        ours, theirs = self.cpu_us
        return (
            f"{self.compared.told('requests/s')}; CPU {ours:,.0f} to {theirs:,.0f} us a request; "
            f"load tool {self.busy:.0%} busy"
        )


def requests_per_second(stage: Stage, ours: Asked, theirs: Asked) -> RequestsPerSecond:
    """Send requests to both as fast as they answer."""
    compared = in_turns(lambda: ours.ask(stage), lambda: theirs.ask(stage), rounds=stage.rounds)
    busy = max(load.busy for load in ours.loads + theirs.loads)
    return RequestsPerSecond(compared, (ours.cpu_us, theirs.cpu_us), busy)
