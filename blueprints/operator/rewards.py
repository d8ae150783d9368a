"""flask rewards: import the gifts of levels, and end bonuses."""

from typing import BinaryIO

import click

from blueprints.api.cli import OperatorGroup, print_json
from blueprints.operator.imports import file_argument, read_array
from server.current_services import get_services
from services.accounts import users
from services.rewards import bonuses, importing
from services.shared.money import number_from_cents

group = OperatorGroup("rewards", help="Gifts of levels, and bonuses.")


@group.command("import")
@file_argument
def import_level_gifts(file: BinaryIO) -> None:
    r"""Import a JSON array of the gifts of levels, in place of those before.

    \b
    [{level, coins? , case?}]

    Each level has either coins or the id of a case to open for free. The gifts up to a level may cost
    LEVEL_SHARE of what the house expects to win until a player reaches it; a case costs what it pays on
    average. A bad row stops the import, and nothing of the file is kept. Each field, with examples:
    docs/import-formats.md.
    """
    services = get_services()
    gifts = importing.import_gifts(read_array(file), settings=services.settings, now=services.clock())
    coins = [gift.coins_cents for gift in gifts if gift.coins_cents is not None]
    counted = {"levels": len(gifts), "cases": len(gifts) - len(coins)}
    print_json(counted | {"coins": number_from_cents(sum(coins))})


@group.command("forfeit-bonus")
@click.argument("platformid")
@click.option("--reason", required=True, help="Why, for the audit trail.")
def forfeit_bonus(platformid: str, reason: str) -> None:
    """End the open bonus of a player, as when its deposit was charged back."""
    user_id = users.get(platform_id=platformid).id
    ended = bonuses.forfeit(user_id=user_id, reason=reason, now=get_services().clock())
    print_json({"reward": ended.id, "state": ended.state, "coins": number_from_cents(ended.coins_cents or 0)})
