"""Usernames and pictures from login providers, made valid for an account."""

from services.accounts.login.providers import avatar_of, username_of

NAMES = [
    ("Alice", "Alice"),
    ("alice.b-2_c", "alice.b-2_c"),
    ("Alice in Chains", "Alice_in_Chains"),
    ("J\u00f6rg M\u00fcller", "J_rg_M_ller"),
    ("\u65e5\u672c\u8a9e", "___"),
    ("\U0001f600\U0001f600\U0001f600", "___"),
    ("a\u0301bc", "a_bc"),
    ("\uff21lice", "_lice"),
    ("<b>bold</b>", "_b_bold__b_"),
    ("tab\tand\nline\x00", "tab_and_line_"),
    ("lone\ud800", "lone_"),
    ("x" * 33, "x" * 32),
    ("abc", "abc"),
    ("ab", "player"),
    ("", "player"),
    (None, "player"),
    (7, "player"),
    (["Alice"], "player"),
]


def test_a_name_becomes_the_most_similar_valid_username():
    assert [(name, username_of(name)) for name, _ in NAMES] == NAMES


LONGEST = "https://a.example.com/".ljust(500, "x")


VALID = ["https://a.example.com/p.png", "http://a.example.com/p?s=96&c=1#x", "HTTPS://a.test/", LONGEST]


def test_an_http_picture_address_is_kept():
    assert [avatar_of(address, secure=False) for address in VALID] == VALID


INVALID = [
    "",
    None,
    7,
    "/media/avatars/somebody.webp",
    "//a.example.com/p.png",
    "javascript:alert(1)",
    "data:image/png;base64,AAAA",
    "ftp://a.example.com/p.png",
    "https://",
    "https://[::1/p.png",
    "https://a.example.com/ p.png",
    "https://a.example.com/p.png\n",
    'https://a.example.com/"onload="x',
    "https://a.example.com/\x00",
    "https://a.example.com/\ud800",
    f"{LONGEST}x",
]


def test_any_other_picture_address_is_ignored():
    assert [address for address in INVALID if avatar_of(address, secure=False) != ""] == []
