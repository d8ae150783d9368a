"""Leases: one process at a time does a job, and another takes over when that one stops or dies."""

from contextlib import AbstractContextManager
from typing import Protocol

from services.shared.errors import OperatorError


class LeaseLost(OperatorError):
    """Another process does the job now. Nothing was written."""


class Lease(Protocol):
    """This process's right to do a job."""

    @property
    def is_held(self) -> bool:
        """Whether this process had the lease when it last wrote."""

    def acquire(self) -> bool:
        """Take the lease if no other process has it. Returns whether this process has it."""

    def take_over(self) -> None:
        """Take the lease from whichever process has it."""

    def fenced(self, *, seconds: float = 0.0) -> AbstractContextManager[None]:
        """A write transaction of the job. No other process takes the lease before it ends.

        It also renews the lease, for ``seconds`` longer if the next write may be that far away. Raises
        LeaseLost when another process has taken the lease.
        """

    def release(self) -> None:
        """Give the lease to the next process that asks for it."""
