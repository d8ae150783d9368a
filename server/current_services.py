"""The services of the running app, for views, handlers and commands."""

from typing import cast

from flask import Flask, current_app

from services.container import Platform

EXTENSION = "platform"


def install_platform(app: Flask, platform: Platform) -> None:
    app.extensions[EXTENSION] = platform


def platform() -> Platform:
    """The services of the current app."""
    return cast("Platform", current_app.extensions[EXTENSION])
