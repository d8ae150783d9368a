"""What public lists show with a bet from other tables: SQL for a row of ``bets``."""

_CASE = """(
    CASE game WHEN 'case' THEN (SELECT {0} FROM cases WHERE cases.id = bets.case_id)
              WHEN 'irl' THEN (SELECT {0} FROM irl_cases WHERE irl_cases.id = bets.case_id) END
)"""

COLUMNS = {
    "username": "(SELECT username FROM users WHERE users.id = bets.user_id)",
    "avatar": "(SELECT avatar FROM users WHERE users.id = bets.user_id)",
    # A prize keeps the picture that it had; other items are shown as they are now.
    "image": """COALESCE(
        (SELECT image FROM prizes WHERE prizes.bet_id = bets.id),
        (SELECT image FROM items WHERE items.market_hash_name = bets.item),
        ''
    )""",
    "case_slug": _CASE.format("slug"),
    "case_name": _CASE.format("name"),
}
"""``case_slug`` and ``case_name`` are null for a spin, and for a case that is gone."""
