"""The services of the running app, for views, handlers and commands."""

from typing import cast

from flask import current_app

from services.container import Services


def get_services() -> Services:
    """The services of the current app."""
    return cast("Services", current_app.extensions["services"])
