"""What a case costs. Source: DECISIONS, "Cases".

    price = sum(item price * percentage / 100) / 0.95, up to the cent

In whole numbers, with chances in attos (10**18 is certain): sum(cents * attos) / (0.95 * 10**18).
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable

import peewee

from models.cases import Case, CaseItem
from models.database import Sqlite, database, writing
from models.items import Item
from services.cases import version
from services.cases.kinds import game_type
from services.money import Cents

HOUSE_DIVISOR = 95 * 10**16
"""0.95 in attos."""

ROWS_A_STATEMENT = 500


def price_of(contents: Iterable[tuple[int | None, int]]) -> Cents:
    """The price of a case with items of these prices in cents, and these chances in attos.

    An item without a price counts as 0. The sum may need 97 bits, so it is computed here and not in SQL.
    """
    value = sum((cents or 0) * attos for cents, attos in contents)
    return Cents(-(-value // HOUSE_DIVISOR))


@writing()
def reprice_cases_holding(item_ids: Collection[int] | None) -> None:
    """Set the prices and types of the cases that contain these items (None: of all) from their items.

    Call this in the transaction that changed the items, after the changes. That transaction has called
    ``version.begin_change`` first, so no item and no case changes in between. With no ids it only counts a
    change of what the lists of cases show, such as the time of an item's next refresh.
    """
    version.begin_change()
    for case_ids in peewee.chunked(_cases_with(item_ids), ROWS_A_STATEMENT):
        _reprice(case_ids)


def _cases_with(item_ids: Collection[int] | None) -> list[int]:
    if item_ids is None:
        return list(Case.select(Case.id).scalars())
    case_ids: set[int] = set()
    for chunk in peewee.chunked(item_ids, ROWS_A_STATEMENT):
        query = CaseItem.select(CaseItem.case).where(CaseItem.item.in_(chunk))
        case_ids.update(case_id for (case_id,) in database.execute(query))
    return sorted(case_ids)


def _reprice(case_ids: Collection[int]) -> None:
    query = (
        CaseItem.select(CaseItem.case, Item.price_cents, CaseItem.chance_attos, Item.app_id)
        .join(Item, on=CaseItem.item == Item.id)
        .where(CaseItem.case.in_(list(case_ids)))
    )
    contents: defaultdict[int, list[tuple[int | None, int]]] = defaultdict(list)
    app_ids: defaultdict[int, set[int]] = defaultdict(set)
    # The driver's own rows: nothing in these columns needs converting.
    for case_id, cents, attos, app_id in database.execute(query):
        contents[case_id].append((cents, attos))
        app_ids[case_id].add(app_id)
    _set([(case_id, price_of(held), str(game_type(app_ids[case_id]))) for case_id, held in contents.items()])


def _set(new: list[tuple[int, Cents, str]]) -> None:
    if isinstance(database.obj, Sqlite):
        database.execute_sql(_SET.format(new=_OF_JSON), (json.dumps(new),))
    elif new:
        columns = tuple(list(column) for column in zip(*new, strict=True))
        database.execute_sql(_SET.format(new=_OF_ARRAYS), columns)


# Written out: peewee takes longer to build this than SQLite to run it.
_SET = """
    UPDATE cases SET price_cents = new.price, type = new.type FROM {new}
    WHERE cases.id = new.id AND (cases.price_cents <> new.price OR cases.type <> new.type)
"""
_OF_JSON = "(SELECT value ->> 0 AS id, value ->> 1 AS price, value ->> 2 AS type FROM json_each(?)) AS new"
_OF_ARRAYS = "unnest(%s::bigint[], %s::bigint[], %s::text[]) AS new (id, price, type)"
