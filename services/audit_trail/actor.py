"""The actor of an action: a player, staff, an operator, or the platform itself."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Actor(NamedTuple):
    """A platform id, ``staff:<name>``, ``operator:<system user>`` or ``system``, and the client's address."""

    who: str = "system"
    address: str | None = None
    token_number: int | None = None
    """The number of the token with which a player acts."""
    staff_session: str | None = None
    """The hash of the session with which a member of staff acts."""


current_actor: ContextVar[Actor] = ContextVar("actor", default=Actor())  # noqa: B039  # immutable
"""The actor of the innermost ``acting_as`` block. Each greenlet and thread has its own."""


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    """Record the events of the block as done by this actor."""
    token = current_actor.set(actor)
    try:
        yield
    finally:
        current_actor.reset(token)


def acting_as_player(platform_id: str) -> AbstractContextManager[None]:
    """Record the events of the block as done by this player, who is logging in, at the current address."""
    return acting_as(current_actor.get()._replace(who=platform_id))
