"""/profile: notifications, public profiles, the vault, and settings of the caller."""

from typing import Any

from flask import Response, jsonify
from playhouse.shortcuts import model_to_dict

from blueprints.api.auth import current_user, public, require_profile, require_two_factor_for
from blueprints.api.blueprint import ApiBlueprint
from blueprints.profile.schemas import (
    ClientSeedSchema,
    DetailsAnswerSchema,
    DetailsChangeSchema,
    LockSchema,
    NotificationSchema,
    PublicUserAnswerSchema,
    ReadNotificationsSchema,
    ShownDetailsAnswerSchema,
    TradeUrlSchema,
)
from models.users import Notification
from server.current_services import get_services
from server.schemas import SuccessSchema
from services.accounts import notifications, profile, users
from services.shared.errors import UserNotFound
from services.wallet import vault
from sockets.player_state import player_state

blueprint = ApiBlueprint("profile", __name__, url_prefix="/profile", description="A player's profile")

SUCCESS = {"success": True}
DETAILS = DetailsAnswerSchema()


@blueprint.get("/notifications")
@require_profile
@blueprint.response(200, NotificationSchema(many=True))
def list_notifications() -> list[Notification]:
    """The caller's notifications, newest first."""
    return notifications.newest(user=current_user(), now=get_services().clock())


@blueprint.delete("/notifications")
@require_profile
@blueprint.response(200, SuccessSchema)
def clear_notifications() -> dict[str, Any]:
    """Clear the caller's notifications."""
    notifications.clear(user_id=current_user().id)
    return SUCCESS


@blueprint.post("/notifications/read")
@require_profile
@blueprint.arguments(ReadNotificationsSchema)
@blueprint.response(200, SuccessSchema)
def read_notifications(body: dict[str, Any]) -> dict[str, Any]:
    """Mark the caller's notifications as read up to this date. `/auth/me` has it as `notificationsReadAt`."""
    notifications.mark_read(user_id=current_user().id, until=body["until"], now=get_services().clock())
    return SUCCESS


@blueprint.get("/user/<anything:platform_id>", merge_slashes=False)
@public
@blueprint.response(200, PublicUserAnswerSchema)
@blueprint.alt_response(404)
def get_public_user(platform_id: str) -> dict[str, Any]:
    """The public profile of a player. An anonymous one has the name `Hidden` and the neutral picture.

    Not found when its player has closed the account.
    """
    user = users.get(platform_id=platform_id)
    if user.closed_at_ms is not None:
        raise UserNotFound
    # Not saved.
    user.username, user.avatar = user.shown_name, user.shown_avatar
    return {"status": True, "user": user}


@blueprint.post("/vault/lock")
@require_profile
@blueprint.arguments(LockSchema)
@blueprint.response(200, SuccessSchema)
def lock_vault(body: dict[str, Any]) -> dict[str, Any]:
    """Move coins from the balance into the vault until a deadline. The event `balance` follows."""
    player = vault.lock(user_id=current_user().id, **body, now=get_services().clock())
    player_state().send(player.id, player)
    return SUCCESS


@blueprint.post("/vault/unlock")
@require_profile
@require_two_factor_for("vault-unlock")
@blueprint.response(200, SuccessSchema)
def unlock_vault() -> dict[str, Any]:
    """Move all coins of the vault back, once its deadline has passed. The event `balance` follows."""
    player = vault.unlock(user_id=current_user().id, now=get_services().clock())
    player_state().send(player.id, player)
    return SUCCESS


@blueprint.put("/trade-url")
@require_profile
@require_two_factor_for("trade-url")
@blueprint.arguments(TradeUrlSchema)
@blueprint.response(200, SuccessSchema)
def change_trade_url(body: dict[str, Any]) -> dict[str, Any]:
    """Set the URL at which the caller receives trade offers."""
    services = get_services()
    profile.change_trade_url(
        user=current_user(),
        url=body["url"],
        host=services.settings.platform_trade_host,
        own_only=services.settings.trade_url_own_only,
        now=services.clock(),
    )
    return SUCCESS


@blueprint.put("/client-seed")
@require_profile
@blueprint.arguments(ClientSeedSchema)
@blueprint.response(200, SuccessSchema)
def change_client_seed(body: dict[str, Any]) -> dict[str, Any]:
    """Set the client seed for the caller's bets that do not send one."""
    users.change_client_seed(user_id=current_user().id, seed=body["client_seed"], now=get_services().clock())
    return SUCCESS


@blueprint.get("/details")
@require_profile
@blueprint.alt_response(
    200, schema=ShownDetailsAnswerSchema, success=True, description="The caller's username and details"
)
def get_details() -> Response:
    """The caller's username and personal details. A detail that was never set is empty."""
    user = current_user()
    details = model_to_dict(profile.details_of(user.id), recurse=False)
    answer: dict[str, Any] = DETAILS.dump({"success": True, "data": details | {"username": user.username}})
    if user.is_anonymous:
        answer["data"]["anonymous"] = True
    return jsonify(answer)


@blueprint.put("/details")
@require_profile
@blueprint.arguments(DetailsChangeSchema(partial=True), required=False)
@blueprint.response(200, SuccessSchema)
def change_details(body: dict[str, Any]) -> dict[str, Any]:
    """Change those details that the body has, all of them or none."""
    username, is_anonymous = body.pop("username", None), body.pop("is_anonymous", None)
    address = body.pop("shipping_address", {})
    profile.change_details(
        user_id=current_user().id,
        username=username,
        is_anonymous=is_anonymous,
        details=body | address,
        now=get_services().clock(),
    )
    return SUCCESS
