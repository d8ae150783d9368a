"""Asking over HTTP: what the load tool is told, and what it tells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlsplit

from bench.harness.servers import RunningServer

ASK = "http.mjs"
CONNECTIONS = 8
WARMUP_SECONDS = 0.3
LONGEST_SECONDS = 120


@dataclass(frozen=True)
class Get:
    """A request."""

    path: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def as_text(self) -> str:
        """As it goes over the wire."""
        fields = {"Host": "127.0.0.1", **self.headers}
        lines = [f"{name}: {value}" for name, value in fields.items()]
        return "\r\n".join([f"GET {self.path} HTTP/1.1", *lines, "", ""])


@dataclass(frozen=True)
class Load:
    """What a load tool saw. Latencies in milliseconds; ``busy`` is the share of its core that it used."""

    per_second: float
    p25: float
    p50: float
    p99: float
    busy: float
    answered_in_all: int
    """Also while warming up."""

    cpu_us: float = 0.0
    """What the server used of its core for each answer."""

    @classmethod
    def of(cls, told: Mapping[str, Any], *, cpu_seconds: float = 0.0) -> Self:
        """As the tool told it; ``cpu_seconds`` is what the server has used meanwhile."""
        return cls(
            per_second=told["perSecond"],
            p25=told["p25"],
            p50=told["p50"],
            p99=told["p99"],
            busy=told["busy"],
            answered_in_all=told["answeredInAll"],
            cpu_us=cpu_seconds * 1e6 / max(told["answeredInAll"], 1),
        )


def asking(server: RunningServer, gets: Sequence[Get], *, connections: int, seconds: float) -> dict[str, Any]:
    """What the tool that asks has to be told."""
    return {
        "port": port_of(server),
        "requests": [get.as_text() for get in gets],
        "connections": connections,
        "warmupSeconds": WARMUP_SECONDS,
        "seconds": seconds,
    }


def check_answered(told: Mapping[str, Any]) -> None:
    """Raises AssertionError when anything was not answered with 200."""
    assert set(told["statuses"]) == {"200"}, f"answered {told['statuses']}"


def port_of(server: RunningServer) -> int:
    port = urlsplit(server.url).port
    assert port is not None
    return port
