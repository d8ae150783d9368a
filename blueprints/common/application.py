"""Flask, as far as it differs here."""

from collections.abc import Callable
from typing import Any

from flask import Flask

from blueprints.common.commands import OperatorGroup


class Application(Flask):
    """Flask without coroutines, with commands that report their errors in one line."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cli = OperatorGroup(self.name)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function as it is. Flask looks at every hook and view for every request, which took 15 µs."""
        return func
