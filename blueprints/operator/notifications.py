"""flask notifications: send messages to players."""

import click

from blueprints.api.cli import OperatorGroup, print_json
from blueprints.profile.schemas import NotificationSchema
from server.current_services import get_services
from services.accounts import notifications, users

group = OperatorGroup("notifications", help="Send notifications to players.")


@group.command("send")
@click.argument("platformid")
@click.argument("title")
@click.argument("message")
def send(platformid: str, title: str, message: str) -> None:
    """Send a notification to a player."""
    user = users.get(platform_id=platformid)
    sent = notifications.send(user_id=user.id, title=title, message=message, now=get_services().clock())
    print_json(NotificationSchema().dump(sent))
