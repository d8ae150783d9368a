"""/profile/2fa: setting up two-factor authentication, turning it on and off."""

from typing import Any

import marshmallow as ma

from blueprints.api.auth import current_user, require_profile
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.parameters import Unvalidated
from blueprints.api.qr_code import qr_code
from server.current_services import get_services
from server.schemas import SuccessSchema, WireSchema, documented, flag, text

blueprint = ApiBlueprint(
    "two_factor", __name__, url_prefix="/profile/2fa", description="Two-factor authentication"
)

TURNED_OFF = {"success": True, "message": "2FA disabled successfully"}


class TwoFactorStatusSchema(SuccessSchema):
    """Whether two-factor authentication is on."""

    enabled = flag("Whether it is on", example=False)


class TwoFactorSetupSchema(SuccessSchema):
    """For an authenticator app: the secret to type in, and a QR code to scan."""

    secret = text("The secret, in base 32", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    qr_code = text("A PNG as a data URL", "data:image/png;base64,iVBORw0KGgo=")


class TwoFactorCodeSchema(WireSchema):
    """The six digits that the authenticator app shows now."""

    code = Unvalidated("string", "Six digits", "123456", pattern="^[0-9]{6}$")


class AnyTwoFactorCodeSchema(WireSchema):
    """A code of either kind."""

    code = Unvalidated(
        "string",
        "Six digits that the authenticator app shows now, or a recovery code",
        "123456",
        pattern="^([0-9]{6}|[A-Za-z2-7-]{12,})$",
    )


class RecoveryCodesSchema(SuccessSchema):
    """Codes to store where the authenticator can't get lost with them. They are shown only now."""

    codes = ma.fields.List(
        ma.fields.String(), required=True, metadata=documented("Ten codes", ["k5xq-a7ut-2mzd"])
    )


class TwoFactorChangeSchema(SuccessSchema):
    """What was done, as a sentence."""

    message = text("What was done, as a sentence", "2FA enabled successfully")


@blueprint.get("/status")
@require_profile
@blueprint.response(200, TwoFactorStatusSchema)
def get_two_factor_status() -> dict[str, Any]:
    """Whether two-factor authentication is on for the caller."""
    return {"success": True, "enabled": current_user().two_factor_enabled}


@blueprint.post("/setup")
@require_profile
@blueprint.response(200, TwoFactorSetupSchema)
def set_up_two_factor() -> dict[str, Any]:
    """Create a secret for the caller's authenticator app; it replaces one that was not enabled."""
    secret, address = get_services().two_factor.setup(user_id=current_user().id)
    return {"success": True, "secret": secret, "qr_code": qr_code(address)}


@blueprint.post("/enable")
@require_profile
@blueprint.arguments(TwoFactorCodeSchema)
@blueprint.response(200, TwoFactorChangeSchema)
def enable_two_factor(body: dict[str, Any]) -> dict[str, Any]:
    """Turn it on with a code of the new secret. A code works once."""
    services = get_services()
    services.two_factor.enable(user_id=current_user().id, code=body["code"], now=services.clock())
    return {"success": True, "message": "2FA enabled successfully"}


@blueprint.post("/disable")
@require_profile
@blueprint.arguments(AnyTwoFactorCodeSchema)
@blueprint.response(200, TwoFactorChangeSchema, example=TURNED_OFF)
def disable_two_factor(body: dict[str, Any]) -> dict[str, Any]:
    """Turn it off with an unused code, which may be a recovery code. All recovery codes are deleted.

    Five wrong codes in five minutes, wherever they were sent to, block all codes for a while, and 20 in a day
    those outside of a login for the day.
    """
    services = get_services()
    services.two_factor.disable(user_id=current_user().id, code=body["code"], now=services.clock())
    return TURNED_OFF


@blueprint.post("/recovery-codes")
@require_profile
@blueprint.arguments(TwoFactorCodeSchema)
@blueprint.response(200, RecoveryCodesSchema)
def draw_recovery_codes(body: dict[str, Any]) -> dict[str, Any]:
    """Make ten recovery codes, for a code of the authenticator app. Earlier ones stop working.

    Each works once wherever a code is asked for, but not here.
    """
    services = get_services()
    codes = services.two_factor.draw_recovery_codes(
        user_id=current_user().id, code=body["code"], now=services.clock()
    )
    return {"success": True, "codes": codes}
