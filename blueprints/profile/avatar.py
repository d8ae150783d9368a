"""/profile/avatar: uploading a player's picture."""

from typing import Any

from flask import request

from blueprints.api.auth import current_user, require_profile
from blueprints.api.blueprint import ApiBlueprint
from server.current_services import get_services
from server.http.strict_requests import ContractRequest
from server.schemas import Avatar, SuccessSchema
from services.shared.errors import Refusal

blueprint = ApiBlueprint("avatar", __name__, url_prefix="/profile", description="A player's picture")

FORM_LIMIT_BYTES = 3 * 1024 * 1024
FIELD = "avatar"


class NotOneFile(Refusal):
    """The form does not have exactly one file in this field."""

    text = f"Send one file in the form field {FIELD}"


class AvatarSchema(SuccessSchema):
    """The new picture."""

    avatar_url = Avatar("The new picture")


@blueprint.post("/avatar")
@require_profile
@blueprint.response(200, AvatarSchema)
@blueprint.doc(
    requestBody={
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {
                        FIELD: {
                            "type": "string",
                            "format": "binary",
                            "description": "JPEG, PNG, WEBP or GIF: at most 2 MiB, 4096 x 4096, 300 frames"
                            " and 33,554,432 pixels in all frames together",
                            "examples": ["(the bytes of a file)"],
                        }
                    },
                }
            }
        },
    },
)
def change_avatar() -> dict[str, Any]:
    """Upload a picture; it is stored as a WebP of 256 x 256, animated if it was, without its metadata."""
    services, user_id = get_services(), current_user().id
    # Begins before the body is read, so that a player can't occupy the worker with many slow uploads.
    with services.avatars.uploads.hold(user_id):
        path = services.avatars.change(user_id=user_id, data=_file())
    return {"success": True, "avatar_url": path}


def _file() -> bytes:
    form: ContractRequest = request  # type: ignore[assignment]  # the app's request class
    files = form.small_files(FIELD, limit_bytes=FORM_LIMIT_BYTES)
    if len(files) != 1 or not files[0].filename:
        raise NotOneFile
    return files[0].stream.read()
