"""Reality checks, and why a bet was refused, on the built-in page."""

import json
import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

CHECK = {"since": 1_795_353_300_000, "minutes": 60, "wagered": 120, "paid": 90.5, "net": -29.5}
"""Began on 2026-11-22 at 13:15 in UTC."""


@pytest.fixture
def tab(open_tab):
    return open_tab(timezone_id="Asia/Kolkata", locale="en-GB")


@pytest.fixture
def reality_check(tab, sign_in, player):
    """The dialog of a reality check, which has just been sent to the player."""
    sockets = []

    def connect(page):
        page.connect_to_server()
        sockets.append(page)

    tab.route_web_socket("**/socket.io/**", connect)
    sign_in(tab, player)
    sockets[-1].send("42" + json.dumps(["limits:reality-check", CHECK]))
    dialog = tab.get_by_role("dialog", name="Time to check how you are doing")
    expect(dialog).to_be_visible()
    return dialog


def test_a_reality_check_shows_time_and_amounts_until_it_is_answered(tab, reality_check):
    expect(reality_check).to_contain_text("You have been playing for 60 minutes, since 18:45.")
    expect(reality_check.locator(".amounts")).to_have_text(
        re.compile(r"Wagered\s*120\.00 coins\s*Paid\s*90\.50 coins\s*Net\s*\u221229\.50 coins")
    )

    for key in ("Escape", "Escape", "Enter", "Space"):
        tab.keyboard.press(key)
    expect(reality_check).to_be_visible()
    assert tab.spins == []

    reality_check.get_by_role("button", name="Continue").click()
    expect(reality_check).to_be_hidden()


def test_both_answers_to_a_reality_check_have_the_same_size_and_colour(reality_check):
    looks = [
        button.evaluate(
            "b => [b.offsetWidth, b.offsetHeight, getComputedStyle(b).color, getComputedStyle(b).background]"
        )
        for button in reality_check.get_by_role("button").all()
    ]

    assert len(looks) == 2
    assert looks[0] == looks[1]


REFUSALS = [
    (
        {"error": "Your limit is reached", "limit": "loss", "period": "day", "resetsAt": 1_795_392_000_000},
        "This bet would exceed your daily loss limit. The limit starts anew on 23 Nov 2026, 05:30.",
    ),
    (
        {"error": "You are taking a break until 2026-11-22T13:45:00Z"},
        "You are taking a break until 22 Nov 2026, 19:15.",
    ),
    (
        {"error": "You have excluded yourself permanently"},
        "You have excluded yourself permanently, so you can't bet any more.",
    ),
    (
        {"error": "Please wait before the next bet"},
        "That was too soon after your last bet. Please wait a moment.",
    ),
    (
        {"error": "Session time limit reached"},
        "You have reached the time limit of a session. You can bet again after 30 minutes without a bet.",
    ),
    (
        {"error": "Account suspended"},
        "Your account is suspended, so you can't bet. Please contact support.",
    ),
]


def test_refused_bets_are_explained_in_plain_words_and_local_time(tab, sign_in, player):
    answers = iter([answer for answer, _ in REFUSALS])

    def refuse(page):
        def forward(message):
            if acknowledgement := re.match(r"43\d+", message):
                message = acknowledgement[0] + json.dumps([{"status": False} | next(answers)])
            page.send(message)

        page.connect_to_server().on_message(forward)

    tab.route_web_socket("**/socket.io/**", refuse)
    sign_in(tab, player)

    for _, text in REFUSALS:
        tab.locator("#spin:enabled").click()
        expect(tab.locator("#outcome")).to_have_text(text)
