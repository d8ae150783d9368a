"""What the items of a case are worth by their chances, exactly: ``sum(cents * attos)``, a whole number.

It is kept of every case. It may take 97 bits, which no column has: so as whole cents, and attos of one more.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NewType

import peewee

from models.cases import Case, CaseValue
from models.database import database
from services.cases.chances import CERTAIN
from services.money import Cents

Value = NewType("Value", int)
"""Attos of a cent."""

ROWS_A_STATEMENT = 500


def value_of(contents: Iterable[tuple[int | None, int]]) -> Value:
    """Of items' prices in cents and their chances in attos. An item without a price adds nothing."""
    return Value(sum((cents or 0) * attos for cents, attos in contents))


def keep(values: Mapping[int, Value]) -> None:
    """Write down what these cases are worth, by their row ids. They may be new."""
    rows = [(case_id, *divmod(value, CERTAIN)) for case_id, value in values.items()]
    for chunk in peewee.chunked(rows, ROWS_A_STATEMENT):
        # Written out: peewee takes 5 ms for a statement that SQLite runs in a tenth of one.
        row = f"({database.param}, {database.param}, {database.param})"
        statement = _KEEP.format(rows=", ".join([row] * len(chunk)))
        database.execute_sql(statement, [value for each in chunk for value in each])


_KEEP = """
    INSERT INTO case_values (case_id, whole_cents, cent_attos) VALUES {rows}
    ON CONFLICT (case_id) DO UPDATE SET whole_cents = EXCLUDED.whole_cents, cent_attos = EXCLUDED.cent_attos
"""


def kept(case_ids: Collection[int]) -> list[tuple[int, Cents, Value]]:
    """Of these cases: row id, price, and what they were worth when it was last written down."""
    query = (
        CaseValue.select(CaseValue.case, Case.price_cents, CaseValue.whole_cents, CaseValue.cent_attos)
        .join(Case, on=CaseValue.case == Case.id)
        .where(CaseValue.case.in_(list(case_ids)))
    )
    # As the driver gives them: there is nothing in these columns to convert.
    rows = database.execute(query)
    return [(case_id, price, Value(whole * CERTAIN + attos)) for case_id, price, whole, attos in rows]
