"""What every template of the back office may use."""

from typing import Any

from flask import current_app
from flask_login import current_user

from blueprints.office.access import can, current_staff, needs_code
from blueprints.office.addresses import with_query
from blueprints.office.blueprint import office
from blueprints.office.formats import age_text, json_items, money_text, shown_time
from blueprints.office.navigation import links
from server.current_services import get_services
from services.staff.permissions import Permission, Role


@office.context_processor
def page_context() -> dict[str, Any]:
    """``staff`` is None where nobody is signed in; ``can`` and ``needs_code`` must not be used then."""
    is_signed_in = current_user.is_authenticated
    return {
        "staff": current_staff() if is_signed_in else None,
        "navigation": links() if is_signed_in else [],
        "can": can,
        "Permission": Permission,
        "needs_code": needs_code,
        "with_query": with_query,
        "has_page": lambda endpoint: endpoint in current_app.view_functions,
        "four_eyes": get_services().settings.office_four_eyes,
        "demo_code": _demo_code,
        "demo_roles": list(Role) if is_signed_in and _demo_code() else [],
    }


def _demo_code() -> str | None:
    """The code for a person of the demo, who has no authenticator; None for everybody else."""
    services = get_services()
    if services.demo_staff is None:
        return None
    return services.demo_staff.code_of(current_staff(), now=services.clock())


office.add_app_template_filter(money_text)
office.add_app_template_filter(shown_time)
office.add_app_template_filter(age_text, "age")
office.add_app_template_filter(json_items)
