"""The services of the running app, for views, handlers and commands."""

from typing import cast

from flask import Flask, current_app

from services.container import Services

EXTENSION = "services"


def install_services(app: Flask, services: Services) -> None:
    app.extensions[EXTENSION] = services


def get_services() -> Services:
    """The services of the current app."""
    return cast("Services", current_app.extensions[EXTENSION])
