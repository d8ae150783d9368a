"""Market names split into their parts, in the forms that a real market has."""

from hypothesis import given
from hypothesis import strategies as st

from services.items.catalogue import SEPARATOR, WEARS, ItemName, parse_name

words = st.text(st.characters(categories=["Lu", "Ll", "Nd", "Lo"]), min_size=1)
wears = st.sampled_from(sorted(WEARS))


def test_a_name_splits_into_gun_skin_and_wear():
    expected = {
        "★ StatTrak™ Huntsman Knife | Lore (Field-Tested)": (
            "★ StatTrak™ Huntsman Knife",
            "Lore",
            "Field-Tested",
        ),
        "M4A4 | 龍王 (Dragon King) (Factory New)": ("M4A4", "龍王 (Dragon King)", "Factory New"),
        "M4A4 | 龍王 (Dragon King)": ("M4A4", "龍王 (Dragon King)", None),
        "AK-47 | Redline (field-tested)": ("AK-47", "Redline (field-tested)", None),
        "AK-47 | Redline (Field-Tested": ("AK-47", "Redline (Field-Tested", None),
        "AK-47 | Field-Tested": ("AK-47", "Field-Tested", None),
        "Sticker | headtr1ck (Holo) | Paris 2023": ("Sticker", "headtr1ck (Holo) | Paris 2023", None),
        "★ Karambit": ("★ Karambit", "", None),
        "ESL One Cologne 2015 Challengers (Foil)": ("ESL One Cologne 2015 Challengers (Foil)", "", None),
        "Sticker | Crown (Well-Worn) | Paris 2023": ("Sticker", "Crown | Paris 2023", "Well-Worn"),
        "Left|Right": ("Left|Right", "", None),
        "Left |Right": ("Left |Right", "", None),
        "Zeus (Well-Worn)": ("Zeus (Well-Worn)", "", "Well-Worn"),
    }

    assert {name: parse_name(name) for name in expected} == {
        name: ItemName(*parts) for name, parts in expected.items()
    }


@given(gun=words, skin=words, wear=wears)
def test_a_composed_name_is_split_into_its_parts(gun, skin, wear):
    assert parse_name(f"{gun}{SEPARATOR}{skin} ({wear})") == ItemName(gun, skin, wear)


@given(name=st.text(st.sampled_from("Aa1 |()™")))
def test_a_split_name_loses_nothing_but_its_wear(name):
    parsed = parse_name(name)

    separator = SEPARATOR if SEPARATOR in name else ""
    assert parsed == ItemName(parsed.gun_name, parsed.skin_name, None)
    assert f"{parsed.gun_name}{separator}{parsed.skin_name}" == name
