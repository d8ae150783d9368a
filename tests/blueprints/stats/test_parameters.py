"""The parameters of /stats: a bad one is named in a 400, and the token is checked first."""

LISTS = ("games", "payments", "fairness", "live-bets")

BAD_PAGES = {
    "page": ("0", "-1", "1.5", "x", "1e3", "\uff11", "1_000", " 1", "true"),
    "limit": ("0", "101", "-1", "1.5", "x", "1" * 50),
}
BAD_CHOICES = {
    "games": {"sort": ("newest", "MOST-RECENT", "highest-amount"), "search": ("\0",)},
    "payments": {"sort": ("most-earned", "oldest"), "type": ("deposit", "DEPOSITS"), "search": ("\0",)},
    "fairness": {"sort": ("most-earned", "oldest"), "game": ("roulette", "UPGRADER"), "search": ("\0",)},
    "live-bets": {"type": ("all", "HIGH-ROLLS", "high_rolls")},
}


def test_a_bad_parameter_is_named(client, alice):
    cases = [
        (name, parameter, value)
        for name in LISTS
        for parameter, values in (BAD_PAGES | BAD_CHOICES[name]).items()
        for value in values
    ]

    answers = {
        (name, parameter, value): client.get(
            f"/stats/{name}", query_string={parameter: value}, headers=alice.headers
        )
        for name, parameter, value in cases
    }

    assert {answer.status_code for answer in answers.values()} == {400}
    named = {case: answer.json["error"].split(": ")[0] for case, answer in answers.items()}
    assert named == {case: case[1] for case in cases}


def test_a_page_has_ten_entries_by_default(ask, spin, alice, clock):
    for _ in range(11):
        spin(alice, wager="0.01", price=2, client_seed="seed")
    clock.advance(ms=6000)

    pages = [
        ask("games", alice)["data"]["games"],
        ask("fairness", alice)["data"]["items"],
        ask("live-bets")["data"]["bets"],
    ]

    assert [len(page) for page in pages] == [10, 10, 10]


def test_the_token_is_checked_before_the_parameters(client):
    answers = [client.get(f"/stats/{name}?page=0") for name in LISTS]

    assert [answer.status_code for answer in answers] == [401, 401, 401, 400]
