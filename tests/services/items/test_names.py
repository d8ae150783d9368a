"""Market names split into their parts, in the forms that a real market has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.items.names import SEPARATOR, WEARS, ItemName, parse

words = st.text(st.characters(categories=["Lu", "Ll", "Nd", "Lo"]), min_size=1)
wears = st.sampled_from(sorted(WEARS))


def test_there_are_five_wears():
    assert {"Factory New", "Minimal Wear", "Field-Tested", "Well-Worn", "Battle-Scarred"} == WEARS


@pytest.mark.parametrize(
    ("name", "gun_name", "skin_name", "wear"),
    [
        ("AWP | Hyper Beast (Minimal Wear)", "AWP", "Hyper Beast", "Minimal Wear"),
        (
            "StatTrak™ Sawed-Off | Morris (Battle-Scarred)",
            "StatTrak™ Sawed-Off",
            "Morris",
            "Battle-Scarred",
        ),
        ("Souvenir MP9 | Dune Asp (Well-Worn)", "Souvenir MP9", "Dune Asp", "Well-Worn"),
        (
            "★ StatTrak™ Huntsman Knife | Lore (Field-Tested)",
            "★ StatTrak™ Huntsman Knife",
            "Lore",
            "Field-Tested",
        ),
        ("Desert Eagle | The Bronze (Factory New)", "Desert Eagle", "The Bronze", "Factory New"),
    ],
)
def test_a_weapon_has_a_gun_a_skin_and_a_wear(name, gun_name, skin_name, wear):
    assert parse(name) == ItemName(gun_name, skin_name, wear)


@pytest.mark.parametrize(
    ("name", "skin_name", "wear"),
    [
        ("M4A4 | 龍王 (Dragon King) (Factory New)", "龍王 (Dragon King)", "Factory New"),
        ("M4A4 | 龍王 (Dragon King)", "龍王 (Dragon King)", None),
        ("Sealed Graffiti | Recoil CZ-75 (Blood Red)", "Recoil CZ-75 (Blood Red)", None),
        ("Sticker | Hello AUG (Gold)", "Hello AUG (Gold)", None),
        ("AK-47 | Redline (field-tested)", "Redline (field-tested)", None),
        ("AK-47 | Redline (Field-Tested", "Redline (Field-Tested", None),
        ("AK-47 | Field-Tested", "Field-Tested", None),
    ],
)
def test_only_a_wear_in_the_last_parentheses_is_taken_off_the_skin(name, skin_name, wear):
    parsed = parse(name)

    assert (parsed.skin_name, parsed.wear) == (skin_name, wear)


@pytest.mark.parametrize(
    ("name", "gun_name", "skin_name"),
    [
        ("Sticker | headtr1ck (Holo) | Paris 2023", "Sticker", "headtr1ck (Holo) | Paris 2023"),
        ("Autograph Capsule | Astralis | Atlanta 2017", "Autograph Capsule", "Astralis | Atlanta 2017"),
    ],
)
def test_a_name_is_split_at_its_first_bar_only(name, gun_name, skin_name):
    assert parse(name) == ItemName(gun_name, skin_name, None)


@pytest.mark.parametrize(
    "name",
    [
        "★ Karambit",
        "Alyx Pin",
        "10 Year Birthday Sticker Capsule",
        "ESL One Cologne 2015 Challengers (Foil)",
        "#CSGO_crate_musickit_masterminds2_capsule",
        "Left|Right",
        "Left |Right",
    ],
)
def test_a_name_without_a_bar_between_blanks_is_all_gun_name(name):
    assert parse(name) == ItemName(name, "", None)


def test_a_name_without_a_bar_keeps_its_wear_and_its_wear_is_parsed():
    assert parse("Zeus (Well-Worn)") == ItemName("Zeus (Well-Worn)", "", "Well-Worn")


def test_a_wear_in_the_last_parentheses_counts_where_more_text_follows():
    assert parse("Sticker | Crown (Well-Worn) | Paris 2023").wear == "Well-Worn"


@given(gun=words, skin=words, wear=wears)
def test_a_composed_name_is_split_into_its_parts(gun, skin, wear):
    assert parse(f"{gun}{SEPARATOR}{skin} ({wear})") == ItemName(gun, skin, wear)


@given(name=st.text(st.sampled_from("Aa1 |()™")))
def test_a_split_name_loses_nothing_but_its_wear(name):
    parsed = parse(name)

    separator = SEPARATOR if SEPARATOR in name else ""
    assert parsed == ItemName(parsed.gun_name, parsed.skin_name, None)
    assert f"{parsed.gun_name}{separator}{parsed.skin_name}" == name
