"""/docs: an API browser whose every byte comes from this process."""

from flask import Blueprint
from flask_swagger_ui import get_swaggerui_blueprint

API_TITLE = "Gaming platform"


def docs_blueprint() -> Blueprint:
    blueprint: Blueprint = get_swaggerui_blueprint(
        "/docs", "/openapi.json", config={"app_name": API_TITLE, "validatorUrl": None}
    )
    return blueprint
