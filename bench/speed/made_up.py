"""A generated price feed with names and prices of realistic sizes."""

import random

MAKES = (
    *("AK-47", "M4A4", "M4A1-S", "AWP", "USP-S", "Glock-18", "Desert Eagle", "P250", "Five-SeveN", "MP9"),
    *("MAC-10", "UMP-45", "P90", "FAMAS", "Galil AR", "SSG 08", "AUG", "Nova", "XM1014", "Tec-9"),
    *("★ Karambit", "★ Flip Knife", "★ Sport Gloves", "Sticker", "Sealed Graffiti", "Music Kit"),
)
FIRST = (
    *("Amber", "Arctic", "Ashen", "Bitter", "Bright", "Broken", "Carmine", "Cobalt", "Copper", "Crimson"),
    *("Distant", "Drowned", "Electric", "Fallen", "Foggy", "Gilded", "Golden", "Hidden", "Hollow", "Iron"),
    *("Ivory", "Jade", "Last", "Midnight", "Narrow", "Northern", "Paper", "Quiet", "Rusted", "Silver"),
)
SECOND = (
    *("Anchor", "Avalanche", "Bloom", "Cathedral", "Circuit", "Comet", "Engine", "Ferry", "Garden"),
    *("Harbour", "Horizon", "Kettle", "Lantern", "Ledger", "Meadow", "Orchard", "Parade", "Season"),
    *("Signal", "Tide"),
)
WEARS = ("Factory New", "Minimal Wear", "Field-Tested", "Well-Worn", "Battle-Scarred")


def made_up_prices(count: int) -> dict[str, int]:
    """This many names with prices in cents, always the same. Most cost cents, a few cost thousands."""
    drawn = random.Random(34_500)
    prices: dict[str, int] = {}
    for serial in range(count):
        make, first, second = drawn.choice(MAKES), drawn.choice(FIRST), drawn.choice(SECOND)
        souvenir = drawn.choice(("", "", "", "StatTrak™ ", "Souvenir "))
        name = f"{souvenir}{make} | {first} {second} {serial} ({drawn.choice(WEARS)})"
        prices[name] = max(1, round(drawn.lognormvariate(5.5, 2)))
    return prices
