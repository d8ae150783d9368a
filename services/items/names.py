"""Parses an item's full market name into weapon, skin and wear."""

import re
from dataclasses import dataclass

WEARS = frozenset({"Factory New", "Minimal Wear", "Field-Tested", "Well-Worn", "Battle-Scarred"})
_LAST_PARENTHESES = re.compile(r"\s*\(([^()]*)\)(?=[^()]*\Z)")
SEPARATOR = " | "


@dataclass(frozen=True)
class ItemName:
    """The parts of a market name. ``wear`` is None when the name has none."""

    gun_name: str
    skin_name: str
    wear: str | None


def parse(market_hash_name: str) -> ItemName:
    """Split at the first " | ". Without one, the whole name is the gun name. The skin name has no wear."""
    gun_name, _, skin_name = market_hash_name.partition(SEPARATOR)
    match = _LAST_PARENTHESES.search(market_hash_name)
    wear = match.group(1) if match and match.group(1) in WEARS else None
    if wear and skin_name:
        skin_name = _LAST_PARENTHESES.sub("", skin_name)
    return ItemName(gun_name, skin_name, wear)
