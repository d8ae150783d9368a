"""HTTP load: the input and the output of the load tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

CONNECTIONS = 8
WARMUP_SECONDS = 0.3


@dataclass(frozen=True)
class Get:
    """A request."""

    path: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def as_text(self) -> str:
        """The bytes of the request."""
        fields = {"Host": "127.0.0.1", **self.headers}
        lines = [f"{name}: {value}" for name, value in fields.items()]
        return "\r\n".join([f"GET {self.path} HTTP/1.1", *lines, "", ""])


@dataclass(frozen=True)
class Load:
    """The load tool's result. Latencies are in milliseconds; ``busy``: the used share of its core."""

    per_second: float
    p50: float
    p99: float
    busy: float
    answered_in_all: int
    """Including the warm-up."""

    cpu_us: float = 0.0
    """The server's CPU time for each answer."""

    @classmethod
    def of(cls, output: Mapping[str, Any], *, cpu_seconds: float = 0.0) -> Self:
        """From the tool's output; ``cpu_seconds`` is the server's CPU time meanwhile."""
        load = output["load"]
        return cls(**load, cpu_us=cpu_seconds * 1e6 / max(load["answered_in_all"], 1))
