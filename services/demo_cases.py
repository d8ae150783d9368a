"""The demo's cases: filled with demo items, for every purse and for every tenth level."""

from dataclasses import dataclass
from decimal import Decimal

from services.cases.chances import attos_from_percent
from services.cases.creating import WantedItem
from services.cases.importing import ImportedCase
from services.cases.kinds import Kind

_REGULAR: dict[str, dict[str, str]] = {
    "Pocket Lint": {
        "UMP-45 | Garden Wall (Factory New)": "2",
        "P250 | Northern Stamp (Minimal Wear)": "8",
        "MP5-SD | Slow Signal (Battle-Scarred)": "15",
        "Nova | Barnacle (Field-Tested)": "25",
        "P2000 | Grey Sunday (Field-Tested)": "25",
        "PP-Bizon | Wet Cardboard (Battle-Scarred)": "25",
    },
    "Paper Planes": {
        "AWP | Paper Comet (Factory New)": "0.5",
        "AWP | Quiet Avalanche (Minimal Wear)": "1.5",
        "SSG 08 | Kite Season (Factory New)": "8",
        "AWP | Signal Lost (Field-Tested)": "15",
        "FAMAS | Chalk Horizon (Factory New)": "25",
        "SCAR-20 | Long Meadow (Well-Worn)": "50",
    },
    "Night Shift": {
        "StatTrak™ M4A1-S | Night Ferry (Factory New)": "1.25",
        "StatTrak™ AK-47 | Orchard Thief (Field-Tested)": "4.75",
        "USP-S | Porcelain Fox (Factory New)": "6",
        "StatTrak™ MAC-10 | Bubble Wrap (Minimal Wear)": "18",
        "StatTrak™ MP9 | Velvet Alarm (Field-Tested)": "30",
        "Tec-9 | Plum Voltage (Minimal Wear)": "40",
    },
    "Cutlery Drawer": {
        "★ Karambit | Glacier Thread (Factory New)": "0.4",
        "★ Butterfly Knife | Ember Orchid (Minimal Wear)": "0.6",
        "★ StatTrak™ M9 Bayonet | Winter Harbour (Field-Tested)": "1",
        "★ Flip Knife | Tidal Glass (Well-Worn)": "4",
        "M4A4 | Festival Drum (Minimal Wear)": "14",
        "M4A1-S | Second Sunrise (Minimal Wear)": "30",
        "Galil AR | Tin Parade (Factory New)": "50",
    },
    "Copper and Rust": {
        "AK-47 | Copper Tide (Factory New)": "2",
        "AK-47 | Copper Tide (Field-Tested)": "12",
        "Desert Eagle | Amber Circuit (Factory New)": "6",
        "Desert Eagle | Rusted Crown (Field-Tested)": "30",
        "AK-47 | Brick Lane Rain (Battle-Scarred)": "50",
    },
    "Harbour Market": {
        "Low Tide Vending Machine": "6",
        "Ninth Wave Thompson": "12",
        "Driftglass Crossbow": "24",
        "Pond Scum Semi-Automatic Pistol": "28",
        "Postbox Red Small Wood Box": "30",
    },
    "Front of House": {
        "Lantern Garage Door": "3",
        "Tidewrack Sheet Metal Door": "9",
        "Marigold Procession Garage Door": "18",
        "Night Bus Armored Door": "30",
        "Rainy Allotment Wooden Door": "40",
    },
    "Allotment Saturday": {
        "Thistle Guard Roadsign Jacket": "5",
        "Beekeeper's Python Revolver": "15",
        "Second Breakfast Pickaxe": "20",
        "Splinter Season Hatchet": "25",
        "Allotment Leather Gloves": "35",
    },
    "Masks and Mirrors": {
        "Aurora Bloom Metal Facemask": "1.5",
        "Cinder Saint Assault Rifle": "3",
        "Glasswing Hoodie": "15.5",
        "Deep Choir Metal Facemask": "30",
        "Velvet Static Hoodie": "50",
    },
    "Two Worlds": {
        "★ Sport Gloves | Tramline (Field-Tested)": "0.75",
        "Aurora Bloom Metal Facemask": "0.75",
        "★ Hand Wraps | Rope Yard (Battle-Scarred)": "4.5",
        "Bolt Rifle | Salt Marsh": "9",
        "P90 | Arcade Noon (Factory New)": "25",
        "Paper Lantern Fridge": "25",
        "Five-SeveN | Coral Engine (Minimal Wear)": "35",
    },
}

_LEVEL: dict[str, dict[str, str]] = {
    "Level 10 Shoelace": {
        "R8 Revolver | Old Sheriff's Tea (Factory New)": "1",
        "MAG-7 | Cold Kettle (Field-Tested)": "9",
        "Splinter Season Hatchet": "20",
        "CZ75-Auto | Parking Ticket (Well-Worn)": "30",
        "Very Ordinary Rock": "40",
    },
    "Level 20 Tin Lunchbox": {
        "XM1014 | Thunder Choir (Minimal Wear)": "3",
        "Driftglass Crossbow": "7",
        "Glock-18 | Subway Tile (Field-Tested)": "20",
        "MP5-SD | Slow Signal (Battle-Scarred)": "30",
        "Nova | Barnacle (Field-Tested)": "40",
    },
    "Level 30 Bus Ticket": {
        "USP-S | Harbour Fog (Field-Tested)": "5",
        "Saltlick Custom SMG": "5",
        "SG 553 | Cactus Radio (Field-Tested)": "20",
        "MP7 | Sherbet Grid (Field-Tested)": "30",
        "Rainy Allotment Wooden Door": "40",
    },
    "Level 40 Toolbelt": {
        "M4A4 | Blue Ledger (Field-Tested)": "6",
        "Foxfire Boots": "6",
        "Tin Orchestra Locker": "18",
        "UMP-45 | Garden Wall (Factory New)": "30",
        "Second Breakfast Pickaxe": "40",
    },
    "Level 50 Halfway House": {
        "Desert Eagle | Rusted Crown (Field-Tested)": "8",
        "Copperhead Weave Pants": "8",
        "FAMAS | Chalk Horizon (Factory New)": "24",
        "Sleepy Cartographer Sleeping Bag": "60",
    },
    "Level 60 Rooftop": {
        "AUG | Moss Cathedral (Minimal Wear)": "10",
        "Kiln God Furnace": "10",
        "StatTrak™ MAC-10 | Bubble Wrap (Minimal Wear)": "30",
        "Galil AR | Tin Parade (Factory New)": "50",
    },
    "Level 70 Long Weekend": {
        "Glock-18 | Lemon Static (Factory New)": "10",
        "Plaster Orchard LR-300": "10",
        "SSG 08 | Kite Season (Factory New)": "30",
        "AWP | Signal Lost (Field-Tested)": "50",
    },
    "Level 80 Grand Hotel": {
        "Desert Eagle | Amber Circuit (Factory New)": "8",
        "Tidewrack Sheet Metal Door": "12",
        "M4A4 | Festival Drum (Minimal Wear)": "20",
        "M4A1-S | Second Sunrise (Minimal Wear)": "60",
    },
    "Level 90 Observatory": {
        "AK-47 | Copper Tide (Factory New)": "6",
        "AWP | Quiet Avalanche (Minimal Wear)": "14",
        "Glasswing Hoodie": "20",
        "Deep Choir Metal Facemask": "60",
    },
    "Level 100 Summit": {
        "★ Karambit | Glacier Thread (Factory New)": "2",
        "Aurora Bloom Metal Facemask": "3",
        "★ Driver Gloves | Saffron Mile (Minimal Wear)": "15",
        "Lantern Garage Door": "80",
    },
}

_FREE: dict[str, dict[str, str]] = {
    "Daily Crumbs": {
        "MAG-7 | Cold Kettle (Field-Tested)": "0.5",
        "Allotment Leather Gloves": "4.5",
        "PP-Bizon | Wet Cardboard (Battle-Scarred)": "15",
        "Very Ordinary Rock": "25",
        "Sawed-Off | Attic Dust (Battle-Scarred)": "25",
        "G3SG1 | Lost Button (Well-Worn)": "30",
    },
}


@dataclass(frozen=True)
class DemoThing:
    """A real-life thing; no percentage means an equal share of what the others leave."""

    name: str
    price: str
    percentage: str | None = None


IRL_CASES: dict[str, tuple[str, str, tuple[DemoThing, ...]]] = {
    "desk-upgrade": (
        "Desk Upgrade",
        "33.90",
        (
            DemoThing("34-inch ultrawide monitor", "429.00", "1.5"),
            DemoThing("Mechanical keyboard, brown switches", "119.00", "6"),
            DemoThing("Wireless mouse", "54.00", "12.5"),
            DemoThing("Monitor lamp", "32.00", "20"),
            DemoThing("Felt desk mat", "12.00"),
            DemoThing("Cable tidy and a very good pen", "4.50"),
        ),
    ),
    "barista-at-home": (
        "Barista at Home",
        "47.50",
        (
            DemoThing("Espresso machine, two boilers", "1150.00", "0.8"),
            DemoThing("Burr grinder", "240.00", "4.2"),
            DemoThing("Gooseneck kettle", "85.00", "10"),
            DemoThing("Hand grinder", "48.00", "20"),
            DemoThing("Kilo of house beans", "18.00", "30"),
            DemoThing("Enamel mug", "6.00"),
        ),
    ),
    "weekend-outdoors": (
        "Weekend Outdoors",
        "60.50",
        (
            DemoThing("Inflatable kayak for two", "540.00", "2"),
            DemoThing("Three-season tent", "310.00", "4"),
            DemoThing("Down sleeping bag", "160.00", "9"),
            DemoThing("Camping stove", "42.00"),
            DemoThing("Head torch", "22.00"),
            DemoThing("Folding cup", "5.00"),
        ),
    ),
    "living-room-arcade": (
        "Living Room Arcade",
        "76.50",
        (
            DemoThing("Games console, this generation", "499.00", "3.3"),
            DemoThing("Handheld PC", "449.00", "3.3"),
            DemoThing("Noise-cancelling headphones", "279.00", "6.4"),
            DemoThing("Second controller", "64.00", "22"),
            DemoThing("Store credit, 25 coins' worth", "25.00"),
            DemoThing("Very large bag of crisps", "3.20"),
        ),
    ),
}
"""Name, price, and things, by id."""


def demo_cases() -> list[ImportedCase]:
    """Every demo case of items: level, free and regular ones, the regular ones newest."""
    kinds = ((Kind.LEVEL, _LEVEL), (Kind.FREE, _FREE), (Kind.REGULAR, _REGULAR))
    return [
        ImportedCase(0, name, kind, tuple(_wanted(item, percent) for item, percent in contents.items()))
        for kind, cases in kinds
        for name, contents in cases.items()
    ]


def _wanted(market_hash_name: str, percent: str) -> WantedItem:
    return WantedItem(market_hash_name, attos_from_percent(Decimal(percent)))


def demo_irl_cases() -> list[dict[str, object]]:
    """Every demo case of real-life things, as rows of an import."""
    return [
        {"id": case_id, "name": name, "price": Decimal(price), "items": [_thing(thing) for thing in things]}
        for case_id, (name, price, things) in IRL_CASES.items()
    ]


def _thing(thing: DemoThing) -> dict[str, object]:
    share = {} if thing.percentage is None else {"percentage": Decimal(thing.percentage)}
    return {"name": thing.name, "image": "", "price": Decimal(thing.price)} | share
