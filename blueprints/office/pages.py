"""Every page of the back office. Importing a module adds its views to the blueprint."""

from blueprints.office import demo, errors, overview, page_context, sign_in
from blueprints.office.blueprint import office

__all__ = ["demo", "errors", "office", "overview", "page_context", "sign_in"]
