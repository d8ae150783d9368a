"""Every page of the back office. Importing a module adds its views to the blueprint."""

from blueprints.office import (
    alarms,
    audit_trail,
    demo,
    errors,
    overview,
    page_context,
    payments,
    player,
    player_actions,
    players,
    prizes,
    proposals,
    reports,
    sign_in,
    staff,
    withdrawals,
)
from blueprints.office.blueprint import office

__all__ = [
    "alarms",
    "audit_trail",
    "demo",
    "errors",
    "office",
    "overview",
    "page_context",
    "payments",
    "player",
    "player_actions",
    "players",
    "prizes",
    "proposals",
    "reports",
    "sign_in",
    "staff",
    "withdrawals",
]
