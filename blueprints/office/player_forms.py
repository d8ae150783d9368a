"""What staff do with a player's account: the forms at the tabs Overview and Notes.

They call what the commands of ``flask users`` and ``flask notifications`` call.
"""

from typing import Any

from blueprints.office.access import current_staff, require_fresh_code, require_permission
from blueprints.office.blueprint import office
from blueprints.office.forms import form_of, submit, typed, typed_cents, typed_reason
from blueprints.office.player import player_notes, player_overview
from server.current_services import get_services
from services.accounts import access, notifications, users
from services.limits import exclusions
from services.shared.errors import Refusal
from services.staff import notes
from services.staff.account_actions import ResetTwoFactor
from services.staff.money_actions import AdjustBalance, GrantReward
from services.staff.permissions import Permission
from services.staff.proposals import ActionResult


def _change(platform_id: str) -> dict[str, Any]:
    """Whom a form changes, why and when. Raises UserNotFound, and Refusal for a bad reason."""
    user_id = users.get(platform_id=platform_id).id
    return {"user_id": user_id, "reason": typed_reason(), "now": get_services().clock()}


@office.post("/players/<platform_id>/log-out")
@require_permission(Permission.PLAYERS_ACT)
@form_of(player_overview)
def log_player_out(platform_id: str) -> str:
    access.log_out_everywhere(**_change(platform_id))
    return "The player was logged out everywhere"


@office.post("/players/<platform_id>/suspend")
@require_permission(Permission.PLAYERS_ACT)
@form_of(player_overview)
def suspend_player(platform_id: str) -> str:
    change = _change(platform_id)
    access.suspend(**change)
    get_services().battles.take_back(user_id=change["user_id"])
    return "The player is suspended"


@office.post("/players/<platform_id>/resume")
@require_permission(Permission.PLAYERS_ACT)
@form_of(player_overview)
def resume_player(platform_id: str) -> str:
    access.resume(**_change(platform_id))
    return "The suspension is over"


@office.post("/players/<platform_id>/exclude")
@require_permission(Permission.PLAYERS_EXCLUDE)
@require_fresh_code
@form_of(player_overview)
def exclude_player(platform_id: str) -> str:
    change, duration = _change(platform_id), typed("duration")
    if duration not in exclusions.DURATIONS:
        raise Refusal(f"the duration must be one of {', '.join(exclusions.DURATIONS)}")
    exclusions.exclude(duration=duration, **change)
    get_services().battles.take_back(user_id=change["user_id"])
    return "The player is excluded from all games"


@office.post("/players/<platform_id>/notify")
@require_permission(Permission.PLAYERS_ACT)
@form_of(player_overview)
def notify_player(platform_id: str) -> str:
    notifications.send(title=typed("title"), message=typed("message"), **_change(platform_id))
    return "The message was sent"


@office.post("/players/<platform_id>/balance")
@require_permission(Permission.BALANCES_CHANGE)
@require_fresh_code
@form_of(player_overview)
def change_balance(platform_id: str) -> ActionResult:
    amount = typed_cents("amount", is_signed=True)
    return submit(AdjustBalance.name, {"platformId": platform_id, "amountCents": amount})


@office.post("/players/<platform_id>/reward")
@require_permission(Permission.BALANCES_CHANGE)
@require_fresh_code
@form_of(player_overview)
def grant_reward(platform_id: str) -> ActionResult:
    case, player = typed("case").strip(), {"platformId": platform_id}
    if case and typed("amount").strip():
        raise Refusal("a reward is an amount or a case, not both")
    return submit(
        GrantReward.name, player | ({"case": case} if case else {"amountCents": typed_cents("amount")})
    )


@office.post("/players/<platform_id>/reset-two-factor")
@require_permission(Permission.TWO_FACTOR_RESET)
@require_fresh_code
@form_of(player_overview)
def reset_two_factor(platform_id: str) -> ActionResult:
    return submit(ResetTwoFactor.name, {"platformId": platform_id})


@office.post("/players/<platform_id>/tags")
@require_permission(Permission.PLAYERS_ACT)
@form_of(player_overview)
def change_tags(platform_id: str) -> str:
    """Add a tag, or remove one."""
    if removed := typed("remove"):
        notes.remove_tag(tag=removed, **_change(platform_id))
        return f"The tag {removed} was removed"
    notes.add_tag(tag=typed("tag"), by=current_staff().name, **_change(platform_id))
    return "The tag was added"


@office.post("/players/<platform_id>/notes")
@require_permission(Permission.PLAYERS_ACT)
@form_of(player_notes)
def add_note(platform_id: str) -> str:
    user_id, now = users.get(platform_id=platform_id).id, get_services().clock()
    notes.add_note(user_id=user_id, text=typed("text"), by=current_staff().name, now=now)
    return "The note was added"


@office.post("/players/<platform_id>/notes/<row_id:note_id>/delete")
@require_permission(Permission.PLAYERS_ACT)
@form_of(player_notes)
def delete_note(platform_id: str, note_id: int) -> str:
    notes.delete_note(note_id=note_id, **_change(platform_id))
    return "The note was deleted"
