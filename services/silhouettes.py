"""The outlines of the demo pictures, and which of them an item's name asks for.

An outline is a list of parts, drawn in their order on a square of 100 x 100 with y pointing down. Each part
is ``finish: x,y x,y ...``; a finish with a ``~`` has its corners rounded.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from services import item_names

Points = tuple[tuple[float, float], ...]


class Finish(StrEnum):
    """What a part is made of. SHADE is paint that lies in shadow, CUT is a hole through everything before."""

    PAINT = "paint"
    SHADE = "shade"
    METAL = "metal"
    DARK = "dark"
    LIGHT = "light"
    CUT = "cut"


@dataclass(frozen=True)
class Part:
    """One polygon of a silhouette, in hundredths of the picture's side."""

    finish: Finish
    rounded: bool
    points: Points


@dataclass(frozen=True)
class Silhouette:
    """A whole outline. ``tilt`` is how far it is turned counter-clockwise, in degrees."""

    tilt: float
    parts: tuple[Part, ...]


_TILTS = {
    "rifle": 14, "carbine": 14, "sniper": 14, "smg": 12, "shotgun": 14, "pistol": 10, "revolver": 10,
    "knife": -38, "karambit": -8, "butterfly": 4, "glove": 8, "axe": 18, "pickaxe": 22, "crossbow": 16,
    "rug": 18, "boots": 6,
}  # fmt: skip

_OUTLINES = {
    "rifle": """
        metal: 3,45 30,45 30,48 3,48            metal: 8,39 12,39 13,45 7,45
        metal: 16,41 32,41 32,45 16,45          paint: 27,40 47,39 47,50 27,49
        metal: 46,34 53,34 54,39 45,39          paint: 45,37 70,36 75,41 75,51 62,53 45,51
        dark~: 46,51 57,52 55,61 49,71 43,77 35,73 42,65 46,57
        metal~: 56,51 67,52 66,60 57,59         cut~: 58.5,53 64.5,53.5 64,58 59,57.5
        dark~: 64,51 72,51 78,67 70,69          shade: 73,42 79,42 79,52 73,50
        paint: 78,42 98,45 98,60 92,61 78,52""",
    "carbine": """
        metal: 2,42 10,42 10,47 2,47            metal: 10,43 26,43 26,46 10,46
        metal: 24,36 72,36 72,39 24,39          paint: 22,38 47,38 47,50 22,49
        shade: 26,42 43,42 43,45 26,45          paint: 46,38 73,38 73,50 64,52 46,51
        metal: 50,31 61,30 64,36 49,36          dark: 48,50 58,51 55,71 44,69
        metal~: 57,50 67,51 66,59 58,58         cut~: 59,52 64.5,52.5 64,57 59.5,56.5
        dark~: 64,50 72,50 78,66 70,68          metal: 72,41 86,41 86,45 72,45
        paint: 82,38 98,38 98,59 92,59 82,48""",
    "sniper": """
        metal: 1,44 8,44 8,51 1,51              metal: 7,46 40,46 40,49 7,49
        metal: 46,38 49,38 49,45 46,45          metal: 58,38 61,38 61,45 58,45
        dark: 36,31 44,33 60,33 68,30 68,41 60,38 44,38 36,40
        light: 36,32 38,32.5 38,38.5 36,39      paint: 30,45 70,42 76,46 76,54 30,53
        dark: 46,53 56,54 55,62 47,62           metal~: 57,53 67,54 66,61 58,60
        cut~: 59,55 64.5,55.5 64,59 59.5,58.5   metal~: 68,47 72,47 75,57 71,58
        paint: 74,45 99,43 99,62 91,63 83,57 77,57 79,68 71,69 65,54
        cut~: 77,50.5 85,49.5 86,53 78,54""",
    "smg": """
        metal: 8,43 28,43 28,47 8,47            metal: 28,32 33,32 34,38 27,38
        metal: 66,32 71,32 72,38 65,38          metal: 78,40 97,41 97,58 92,58 91,45 78,45
        paint: 22,37 74,36 79,41 79,50 22,50    shade: 27,41 44,41 44,45 27,45
        dark~: 27,49 36,49 37,63 30,63          dark: 45,50 56,50 52,77 42,75
        metal~: 55,49 67,50 66,59 56,58         cut~: 57.5,52 64.5,52.5 64,57 58,56.5
        dark~: 64,49 73,49 79,66 70,68""",
    "shotgun": """
        metal: 1,40 54,39 54,43 1,44            metal: 6,45 52,45 52,49 6,49
        shade: 20,43 44,43 44,52 20,52          paint: 22,44 26,44 26,51 22,51
        paint: 29,44 33,44 33,51 29,51          paint: 36,44 40,44 40,51 36,51
        paint: 50,38 69,37 74,42 72,52 50,52    dark: 55,40 64,40 64,43 55,43
        metal~: 56,51 68,51 67,60 57,59         cut~: 58.5,53 65,53.5 64.5,57.5 59,57
        paint: 70,41 78,44 99,52 99,67 92,67 78,56 71,54""",
    "pistol": """
        metal: 15,26 19,26 19,30 14,30          metal: 78,25 84,25 85,30 77,30
        dark: 18,42 86,42 89,47 84,52 18,50     metal~: 40,49 66,49 66,64 48,65
        cut~: 44.5,52 62,52 62,61 50,62         dark~: 62,46 85,46 96,82 73,86
        metal: 69,58 84,55 90,77 75,80          paint: 12,29 82,29 87,34 87,44 12,44
        metal: 12,33 20,33 20,40 12,40          cut: 68,32 70,32 70,41 68,41
        cut: 72.5,32 74.5,32 74.5,41 72.5,41    cut: 77,32 79,32 79,41 77,41""",
    "revolver": """
        metal: 5,26 10,26 12,31 5,31            paint: 4,30 52,29 52,42 46,46 4,44
        metal: 4,34 44,34 44,38 4,38            dark: 46,28 76,27 80,34 76,50 46,50
        metal~: 48,49 70,50 68,64 52,63         cut~: 52,52 66,52.5 64.5,60.5 55,60
        metal~: 75,21 81,18 84,24 80,34 75,31   paint~: 48,29 68,29 71,32 71,46 68,49 48,49
        shade: 51,32 66,32 66,35 51,35          shade: 51,38 66,38 66,41 51,41
        shade: 51,44 66,44 66,46 51,46          paint~: 69,48 79,38 92,60 96,84 80,86 76,66""",
    "knife": """
        paint: 2,50 20,41 58,40 58,58 26,58 12,55
        metal: 2,50 24,53 58,52.5 58,58 26,58 12,55     shade: 26,44 54,43.5 54,46 26,47
        metal: 57,36 62,36 62,63 57,63          dark~: 61,43 92,41 98,46 98,53 92,58 61,56
        metal: 68,45 71,45 71,54 68,54          metal: 76,45 79,45 79,54 76,54
        metal: 84,45 87,45 87,54 84,54""",
    "karambit": """
        paint~: 16,88 9,68 12,46 24,28 44,18 57,19 55,36 44,37 33,44 27,58 24,74
        metal~: 16,88 17,64 26,44 44,31 55,30 55,36 44,37 33,44 27,58 24,74
        metal: 52,16 58,17 57,40 51,39          dark~: 56,18 70,22 83,37 90,56 80,63 70,50 62,42 56,39
        metal~: 76,62 84,54 94,58 97,69 91,79 80,79 74,71
        cut~: 81,64 86,61 91,65 91,71 86,74 81,71""",
    "butterfly": """
        paint: 3,16 22,14 56,40 49,51 30,39     metal: 3,16 30,34 49,47 49,51 30,39
        dark~: 53,40 60,36 97,52 96,59 88,60 52,48      dark~: 47,50 54,45 84,78 80,87 73,84
        cut~: 63,42 72,45.5 71,48 62,44.5       cut~: 77,48 86,51.5 85,54 76,50.5
        cut~: 57,55 65,63.5 63,65.5 55,57       cut~: 68,67 76,75.5 74,77.5 66,69
        metal~: 48,42 54,39 58,44 54,50 48,49""",
    "glove": """
        shade~: 33,52 21,38 13,42 18,60 32,76   paint~: 28,54 27,22 36,20 40,50
        paint~: 38,52 39,11 49,10 50,50         paint~: 49,50 52,11 61,12 61,50
        paint~: 59,52 65,20 73,22 72,54         paint~: 28,46 72,45 75,64 70,80 36,80 28,68
        metal~: 31,45 70,44 71,53 31,54         shade: 40,60 62,60 60,74 42,74
        dark~: 34,77 71,77 74,94 32,94          metal: 36,82 70,82 70.5,85 36,85""",
    "door": """
        metal: 22,4 78,4 78,96 22,96            paint: 27,9 73,9 73,96 27,96
        shade: 33,16 67,16 67,44 33,44          shade: 33,52 67,52 67,88 33,88
        paint: 36,19 64,19 64,41 36,41          paint: 36,55 64,55 64,85 36,85
        metal: 23,18 30,18 30,24 23,24          metal: 23,74 30,74 30,80 23,80
        dark~: 66,45 72,45 72,55 66,55          light~: 68,49 70,49 70,52 68,52""",
    "garage": """
        metal: 5,12 95,12 95,92 5,92            dark: 10,18 90,18 90,92 10,92
        paint: 10,18 90,18 90,31 10,31          shade: 10,33 90,33 90,46 10,46
        paint: 10,48 90,48 90,61 10,61          shade: 10,63 90,63 90,76 10,76
        paint: 10,78 90,78 90,92 10,92          metal: 40,81 60,81 60,86 40,86
        light: 16,22 34,22 34,27 16,27          light: 66,22 84,22 84,27 66,27""",
    "crate": """
        paint: 50,12 90,31 50,51 10,31          paint: 10,31 50,51 50,92 10,71
        shade: 90,31 50,51 50,92 90,71          metal: 10,31 50,51 50,57 10,37
        dark: 90,31 50,51 50,57 90,37           metal: 10,65 50,86 50,92 10,71
        dark: 90,65 50,86 50,92 90,71           metal: 26,19 34,15.5 74,35 66,39
        dark: 63,48 69,45 69,58 63,61           light: 64.5,51 67.5,49.5 67.5,55 64.5,56.5""",
    "furnace": """
        metal: 42,4 60,4 60,24 42,24            paint~: 28,20 72,20 90,92 10,92
        shade~: 50,20 72,20 90,92 62,92         dark~: 35,48 65,48 72,86 28,86
        light~: 38,84 34,74 41,66 44,56 51,64 55,58 60,68 66,76 62,84
        metal: 26,30 74,30 76,36 24,36""",
    "mask": """
        metal~: 16,30 24,22 24,62 17,54         metal~: 84,30 76,22 76,62 83,54
        paint~: 24,10 76,10 84,40 76,70 60,94 40,94 24,70 16,40
        shade~: 50,10 76,10 84,40 76,70 60,94 50,94
        light~: 25,38 46,44 44,54 28,50         light~: 75,38 54,44 56,54 72,50
        dark: 47,46 53,46 56,66 44,66           dark~: 36,72 64,72 60,86 40,86
        metal: 42,73 45,73 46,85 43,85          metal: 48.5,73 51.5,73 51.5,85 48.5,85
        metal: 55,73 58,73 57,85 54,85""",
    "hoodie": """
        shade~: 34,22 18,32 4,76 17,82 32,52    shade~: 66,22 82,32 96,76 83,82 68,52
        paint~: 32,20 68,20 74,40 74,92 26,92 26,40     paint~: 34,26 42,6 58,6 66,26 56,38 44,38
        dark~: 40,24 45,12 55,12 60,24 54,33 46,33      metal: 49,34 51,34 51,91 49,91
        shade: 33,66 46,66 46,82 29,82          shade: 54,66 67,66 71,82 54,82""",
    "jacket": """
        shade~: 32,20 16,30 8,62 22,66 30,50    shade~: 68,20 84,30 92,62 78,66 70,50
        paint: 32,16 44,16 50,26 56,16 68,16 74,40 72,92 28,92 26,40
        metal: 31,36 69,36 69,39 31,39          light: 32,44 68,44 66,58 34,58
        dark: 34,62 66,62 66,74 34,74           metal: 30,80 70,80 70,84 30,84""",
    "pants": """
        paint: 29,8 71,8 79,94 56,94 50,42 44,94 21,94  shade: 50,8 71,8 79,94 56,94 50,42
        dark: 29,8 71,8 72,16 28,16             metal: 46,8.5 54,8.5 54,15.5 46,15.5
        metal~: 27,52 42,52 41,66 25,66         metal~: 58,52 73,52 75,66 59,66""",
    "boots": """
        shade~: 44,12 68,12 68,48 90,64 93,80 44,80     dark: 44,79 94,79 93,86 44,86
        paint~: 16,16 44,16 44,52 70,68 74,86 14,86     dark: 13,85 75,85 74,94 13,94
        metal: 16,20 44,20 44,25 16,25          metal: 30,34 44,34 44,37 30,37
        metal: 30,42 44,42 44,45 30,45          metal: 34,50 46,51 49,54 36,54""",
    "axe": """
        dark~: 47,8 54,8 58,96 49,96            metal: 45,14 56,14 57,36 46,36
        paint~: 47,15 30,14 12,4 15,26 10,46 30,36 47,35        metal~: 12,4 19,10 21,26 17,40 10,46 15,26
        shade: 56,18 68,19 68,32 57,33""",
    "pickaxe": """
        dark~: 46,10 54,10 57,97 48,97          metal: 42,14 58,14 58,30 42,30
        paint: 44,15 26,18 3,42 28,30 44,29     paint: 56,15 74,18 97,42 72,30 56,29
        metal: 3,42 28,26 44,24 44,29 28,30     metal: 97,42 72,26 56,24 56,29 72,30""",
    "rock": """
        paint: 24,34 46,16 68,20 88,44 84,70 60,88 28,82 10,60
        shade: 68,20 88,44 84,70 60,88 56,52    metal: 24,34 46,16 68,20 56,52 34,50
        shade: 28,82 60,88 56,52 34,50          paint: 10,60 24,34 34,50 28,82""",
    "rug": """
        metal: 8,26 92,26 92,76 8,76            paint: 12,24 88,24 88,78 12,78
        shade: 18,30 82,30 82,72 18,72          paint: 50,32 78,51 50,70 22,51
        light: 50,43 62,51 50,59 38,51""",
    "bag": """
        shade~: 30,6 70,6 76,92 24,92           paint~: 27,30 73,30 78,96 22,96
        metal~: 35,10 65,10 66,26 34,26         dark: 27,42 74,42 74.5,46 26.5,46
        dark: 25,66 75.5,66 76,70 24.5,70       light: 49,30 51,30 51,95 49,95""",
    "cabinet": """
        metal: 20,4 80,4 80,94 20,94            dark: 24,94 34,94 34,98 24,98
        dark: 66,94 76,94 76,98 66,98           paint: 25,9 75,9 75,90 25,90
        dark: 31,16 60,16 60,62 31,62           light: 33,18 58,18 58,30 33,30
        shade: 33,33 58,33 58,45 33,45          light: 33,48 58,48 58,60 33,60
        metal: 65,20 70,20 70,50 65,50          dark~: 33,70 67,70 67,82 33,82""",
    "crossbow": """
        metal: 25,18 27,18 27,82 25,82
        paint~: 22,6 30,10 17,32 15,50 17,68 30,90 22,94 9,70 7,50 9,30
        metal: 3,48.5 60,48.5 60,51 3,51        paint: 14,47 70,45 76,48 76,56 14,55
        dark: 46,43 58,43 58,46 46,46           dark~: 64,54 72,54 77,70 69,71
        paint: 74,47 97,48 97,64 91,64 74,55""",
}

# The first line with a word of the item's name decides, so the narrower words stand first.
_WORDS = (
    ("garage", ("garage door",)),
    ("door", ("door",)),
    ("karambit", ("karambit",)),
    ("butterfly", ("butterfly knife",)),
    ("knife", ("knife", "bayonet", "daggers", "sword")),
    ("glove", ("glove", "hand wrap")),
    ("crossbow", ("crossbow", "bow")),
    ("sniper", ("awp", "ssg 08", "scar-20", "g3sg1", "bolt rifle", "l96")),
    ("shotgun", ("nova", "xm1014", "mag-7", "sawed-off", "shotgun")),
    ("revolver", ("revolver",)),
    (
        "pistol",
        ("eagle", "glock", "usp-s", "p2000", "p250", "five-seven", "tec-9", "cz75", "berettas", "pistol"),
    ),
    ("smg", ("mac-10", "mp5", "mp7", "mp9", "ump-45", "p90", "bizon", "smg", "thompson")),
    ("carbine", ("m4a4", "m4a1-s", "famas", "aug", "sg 553", "lr-300")),
    ("rifle", ("ak-47", "galil", "rifle", "m249", "negev")),
    ("mask", ("facemask", "helmet")),
    ("hoodie", ("hoodie",)),
    ("jacket", ("jacket", "vest")),
    ("pants", ("pants", "trousers")),
    ("boots", ("boots",)),
    ("pickaxe", ("pickaxe",)),
    ("axe", ("hatchet", "axe")),
    ("furnace", ("furnace",)),
    ("cabinet", ("locker", "fridge", "vending machine")),
    ("bag", ("sleeping bag",)),
    ("rug", ("rug",)),
    ("rock", ("rock",)),
)
_PATTERNS = tuple(
    (outline, re.compile(rf"\b(?:{'|'.join(words)})s?\b", re.ASCII)) for outline, words in _WORDS
)
_ANYTHING_ELSE = "crate"


def silhouette_of(market_hash_name: str) -> Silhouette:
    """The outline for an item's weapon or thing; its skin has no say. A crate when no word is known."""
    gun_name = item_names.parse(market_hash_name).gun_name.lower()
    for outline, pattern in _PATTERNS:
        if pattern.search(gun_name):
            return _read(outline)
    return _read(_ANYTHING_ELSE)


@cache
def _read(outline: str) -> Silhouette:
    parts = []
    for chunk in " ".join(_OUTLINES[outline].split()).replace(": ", ":").split(" "):
        if ":" in chunk:
            finish, _, first = chunk.partition(":")
            parts.append((finish, [first]))
        else:
            parts[-1][1].append(chunk)
    return Silhouette(_TILTS.get(outline, 0), tuple(_part(finish, points) for finish, points in parts))


def _part(finish: str, points: list[str]) -> Part:
    corners = (point.split(",") for point in points)
    return Part(
        finish=Finish(finish.removesuffix("~")),
        rounded=finish.endswith("~"),
        points=tuple((float(x), float(y)) for x, y in corners),
    )
