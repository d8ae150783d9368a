"""The demo catalogue: real weapons under skins that nobody sells, at prices of our own making."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class DemoItem:
    """An item to try the platform with. ``picture`` is the name of its picture's file, without the ending."""

    app_id: int
    market_hash_name: str
    price_cents: int
    picture: str


_PRICES_IN_CENTS = {
    730: {
        "★ Karambit | Glacier Thread (Factory New)": 2_489_00,
        "★ Butterfly Knife | Ember Orchid (Minimal Wear)": 1_874_50,
        "★ Sport Gloves | Tramline (Field-Tested)": 1_240_00,
        "★ StatTrak™ M9 Bayonet | Winter Harbour (Field-Tested)": 968_25,
        "★ Driver Gloves | Saffron Mile (Minimal Wear)": 640_80,
        "★ Flip Knife | Tidal Glass (Well-Worn)": 312_40,
        "★ Hand Wraps | Rope Yard (Battle-Scarred)": 148_60,
        "AWP | Paper Comet (Factory New)": 879_99,
        "AK-47 | Copper Tide (Factory New)": 421_75,
        "StatTrak™ M4A1-S | Night Ferry (Factory New)": 264_10,
        "AWP | Quiet Avalanche (Minimal Wear)": 196_35,
        "Desert Eagle | Amber Circuit (Factory New)": 118_20,
        "M4A4 | Festival Drum (Minimal Wear)": 87_45,
        "StatTrak™ AK-47 | Orchard Thief (Field-Tested)": 74_90,
        "USP-S | Porcelain Fox (Factory New)": 61_15,
        "Glock-18 | Lemon Static (Factory New)": 48_70,
        "AK-47 | Copper Tide (Field-Tested)": 44_25,
        "M4A1-S | Second Sunrise (Minimal Wear)": 39_80,
        "SSG 08 | Kite Season (Factory New)": 33_50,
        "AUG | Moss Cathedral (Minimal Wear)": 28_65,
        "P90 | Arcade Noon (Factory New)": 26_10,
        "Desert Eagle | Rusted Crown (Field-Tested)": 22_95,
        "AWP | Signal Lost (Field-Tested)": 19_40,
        "StatTrak™ MAC-10 | Bubble Wrap (Minimal Wear)": 17_25,
        "FAMAS | Chalk Horizon (Factory New)": 14_85,
        "Galil AR | Tin Parade (Factory New)": 12_60,
        "M4A4 | Blue Ledger (Field-Tested)": 11_35,
        "USP-S | Harbour Fog (Field-Tested)": 9_75,
        "StatTrak™ MP9 | Velvet Alarm (Field-Tested)": 8_90,
        "Five-SeveN | Coral Engine (Minimal Wear)": 7_55,
        "UMP-45 | Garden Wall (Factory New)": 6_40,
        "XM1014 | Thunder Choir (Minimal Wear)": 5_85,
        "R8 Revolver | Old Sheriff's Tea (Factory New)": 5_10,
        "AK-47 | Brick Lane Rain (Battle-Scarred)": 4_65,
        "Tec-9 | Plum Voltage (Minimal Wear)": 3_90,
        "SG 553 | Cactus Radio (Field-Tested)": 3_25,
        "MP7 | Sherbet Grid (Field-Tested)": 2_70,
        "P250 | Northern Stamp (Minimal Wear)": 2_15,
        "Glock-18 | Subway Tile (Field-Tested)": 1_80,
        "SCAR-20 | Long Meadow (Well-Worn)": 1_45,
        "MAG-7 | Cold Kettle (Field-Tested)": 1_10,
        "MP5-SD | Slow Signal (Battle-Scarred)": 82,
        "Nova | Barnacle (Field-Tested)": 57,
        "CZ75-Auto | Parking Ticket (Well-Worn)": 36,
        "P2000 | Grey Sunday (Field-Tested)": 21,
        "PP-Bizon | Wet Cardboard (Battle-Scarred)": 12,
        "Sawed-Off | Attic Dust (Battle-Scarred)": 6,
        "G3SG1 | Lost Button (Well-Worn)": 3,
    },
    252490: {
        "Aurora Bloom Metal Facemask": 1_385_00,
        "Cinder Saint Assault Rifle": 712_45,
        "Lantern Garage Door": 236_90,
        "Glasswing Hoodie": 128_75,
        "Tidewrack Sheet Metal Door": 96_30,
        "Deep Choir Metal Facemask": 72_20,
        "Bolt Rifle | Salt Marsh": 54_60,
        "Marigold Procession Garage Door": 46_15,
        "Plaster Orchard LR-300": 41_05,
        "Velvet Static Hoodie": 36_70,
        "Low Tide Vending Machine": 31_90,
        "Kiln God Furnace": 27_35,
        "Moth Parade Large Wood Box": 24_80,
        "Copperhead Weave Pants": 21_50,
        "Night Bus Armored Door": 18_95,
        "Ninth Wave Thompson": 16_40,
        "Paper Lantern Fridge": 14_20,
        "Foxfire Boots": 12_75,
        "Thistle Guard Roadsign Jacket": 10_90,
        "Saltlick Custom SMG": 9_30,
        "Tin Orchestra Locker": 8_15,
        "Sleepy Cartographer Sleeping Bag": 6_85,
        "Beekeeper's Python Revolver": 5_60,
        "Driftglass Crossbow": 4_45,
        "Second Breakfast Pickaxe": 3_70,
        "Mosaic Hearth Rug": 2_95,
        "Pond Scum Semi-Automatic Pistol": 2_20,
        "Rainy Allotment Wooden Door": 1_65,
        "Postbox Red Small Wood Box": 1_05,
        "Splinter Season Hatchet": 64,
        "Allotment Leather Gloves": 28,
        "Very Ordinary Rock": 9,
    },
}


def _file_name(market_hash_name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", market_hash_name.lower().replace("'", "")).strip("-")


DEMO_ITEMS: tuple[DemoItem, ...] = tuple(
    DemoItem(app_id, name, price_cents, _file_name(name))
    for app_id, prices in _PRICES_IN_CENTS.items()
    for name, price_cents in prices.items()
)
"""Every demo item, game by game."""
