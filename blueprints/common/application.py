"""Flask, as far as it differs here."""

from collections.abc import Callable
from typing import Any

from flask import Flask


class Application(Flask):
    """Flask without coroutines."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function as it is. Flask looks at every hook and view for every request, which took 15 µs."""
        return func
