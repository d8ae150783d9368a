"""The area that the profile's routes share."""

from blueprints.common.blueprint import Area

blueprint = Area("profile", __name__, url_prefix="/profile", description="A player's profile")
