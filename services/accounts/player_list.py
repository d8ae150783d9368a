"""The list of all players, for operators."""

from models.db.connection import repeatable_read
from models.db.sql import contains_text
from models.users import User
from services.shared.pagination import Page, Place, rows_of_page


@repeatable_read(within_limit=True)
def page(*, search: str, place: Place) -> Page[User]:
    """One page of the players, the newest account first.

    With a search: those whose username contains the text in any case, or whose platform id it is.
    """
    query = User.select()
    if search:
        query = query.where(
            contains_text(User.username_folded, search.lower()) | (User.platform_id == search)
        )
    total = query.count()
    return Page(rows_of_page(query, order=(User.id.desc(),), place=place, total=total), total)
