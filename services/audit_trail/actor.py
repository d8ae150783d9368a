"""Who acts: a player, an operator, or the platform itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

SYSTEM = "system"


class Actor(NamedTuple):
    """A platform id, ``operator:<system user>`` or SYSTEM, and the address of the client if there is one."""

    who: str = SYSTEM
    address: str | None = None


THE_SYSTEM = Actor()

_current: ContextVar[Actor] = ContextVar("actor", default=THE_SYSTEM)


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    """Record the events of the block as done by this actor. Each greenlet and thread has its own."""
    token = _current.set(actor)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def acting_as_player(platform_id: str) -> Iterator[None]:
    """Record the events of the block as done by this player, who is logging in, at the current address."""
    with acting_as(_current.get()._replace(who=platform_id)):
        yield


def current_actor() -> Actor:
    """The actor of the innermost ``acting_as`` block."""
    return _current.get()
