"""flask rewards: import the gifts of levels."""

from typing import BinaryIO

from blueprints.api.cli import OperatorGroup, print_json
from blueprints.operator.imports import file_argument, read_array
from server.current_services import get_services
from services.rewards import importing
from services.shared.money import number_from_cents

group = OperatorGroup("rewards", help="Import the gifts of levels.")


@group.command("import")
@file_argument
def import_level_gifts(file: BinaryIO) -> None:
    r"""Import a JSON array of the gifts of levels, in place of those before.

    \b
    [{level, coins}]

    The gifts up to a level may cost LEVEL_SHARE of what the house expects to win until a player reaches it.
    A bad row stops the import, and nothing of the file is kept. Each field, with examples:
    docs/import-formats.md.
    """
    services = get_services()
    gifts = importing.import_gifts(read_array(file), settings=services.settings, now=services.clock())
    coins = sum(gift.coins_cents for gift in gifts)
    print_json({"levels": len(gifts), "coins": number_from_cents(coins)})
