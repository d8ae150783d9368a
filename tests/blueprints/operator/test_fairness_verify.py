"""flask fairness verify: recomputes one bet without a database."""

import json
import socket

import pytest

from tests.support.golden_vectors import OPENINGS, REFUSED, REFUSED_OPENINGS, SPINS

ROLL_77 = SPINS[0]["input"]
"""It rolls 77.17409 percent."""


@pytest.fixture
def database_url():
    """The address of a port that is bound, so that no other process gets it, and not listened on."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        yield f"postgresql://nobody@127.0.0.1:{port}/nothing"


def options(vector=ROLL_77, **more):
    """The command line for a vector, and for ``amount``, ``price`` or anything to replace."""
    values = {
        "server-seed": vector["serverSeed"],
        "client-seed": vector["clientSeed"],
        "nonce": vector["nonce"],
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    return ["fairness", "verify", *(f"--{name}={value}" for name, value in values.items())]


@pytest.fixture
def all_options(tmp_path):
    """The command line for all input of a golden vector, with what to replace."""

    def all_options(given, **more):
        if "content" not in given:
            amounts = {"amount": given["betAmount"], "price": given["price"]}
            return options(given, **amounts, house_edge=given["houseEdge"], **more)
        path = tmp_path / "snapshot.json"
        path.write_text(given["content"], encoding="utf-8")
        return options(given, game=given["algorithm"].removesuffix("-1"), snapshot=path, **more)

    return all_options


SPIN = ("roll", "percent", "threshold", "chance", "win")
OPENING = ("ticket", "percent", "snapshot", "item", "amount")


def test_the_command_gives_the_golden_vectors(run, all_options):
    for vector in (*SPINS, *OPENINGS):
        given, expected = vector["input"], vector["output"]
        answer = run(*all_options(given))

        committed = answer["serverSeedCommitment"] == given["serverSeedCommitment"]
        assert committed is expected["committed"], vector["why"]
        printed = SPIN if "roll" in expected else OPENING
        assert {name: answer[name] for name in printed} == {name: expected[name] for name in printed}


def test_the_command_refuses_what_the_golden_vectors_refuse(fails, all_options):
    for vector in (*REFUSED, *REFUSED_OPENINGS):
        assert len(fails(*all_options(vector["input"])).splitlines()) == 1, vector["why"]


def test_an_opening_without_game_or_readable_snapshot_is_refused(fails, all_options, tmp_path):
    arguments, path = all_options(OPENINGS[0]["input"]), tmp_path / "snapshot.json"
    for given in ({"game": "case"}, {"snapshot": path}, {"game": "spin"}):
        assert len(fails(*options(**given)).splitlines()) == 1, given
    for given in ({"amount": "1", "price": "2"}, {"price": "2"}, {"house_edge": "0"}):
        assert "no amount, price or house edge" in fails(*all_options(OPENINGS[0]["input"], **given)), given
    path.write_bytes(b"\xff")
    assert len(fails(*arguments).splitlines()) == 1
    path.unlink()
    assert len(fails(*arguments).splitlines()) == 1


def test_without_amount_only_roll_and_commitment_are_printed(run):
    assert set(run(*options())) == {"serverSeedCommitment", "roll", "percent"}


def test_a_snapshot_may_end_with_a_line_end(run, all_options):
    given = OPENINGS[0]["input"]

    assert run(*all_options(given | {"content": given["content"] + "\n"}))["snapshot"] == given["snapshot"]


def test_the_threshold_uses_the_house_edge_of_the_settings(make_app):
    runner = make_app(UPGRADER_HOUSE_EDGE="0").test_cli_runner()

    answer = json.loads(runner.invoke(args=options(amount="5", price="10")).stdout)

    assert (answer["houseEdge"], answer["threshold"]) == (0, 5_000_000)


def test_the_price_may_be_written_as_the_api_shows_it(run):
    assert run(*options(amount="5", price="$12.40")) == run(*options(amount="5", price="12.4"))


def test_a_command_that_needs_the_database_fails_here(fails):
    assert "the database is not available" in fails("fairness", "audit")


BAD_AMOUNTS = ["1.005", "-1", "NaN", "Infinity", "1e400", "1e1000000", "1000000000.01", "one", "", "true"]
BAD = [
    *(({"client_seed": seed}, "client seed") for seed in ("abc", "ab:cd", "", "abcd\n")),
    # A byte that is not UTF-8.
    ({"server_seed": "\udcff"}, "server seed"),
    *(({"nonce": nonce}, "--nonce") for nonce in ("0", "1.5", "one", "")),
    ({"amount": "1"}, "--amount and --price"),
    ({"price": "1"}, "--amount and --price"),
    ({"amount": "10", "price": "10"}, "below the price"),
    *(({"amount": "1", "price": price}, "--price") for price in ("1.005", "$1.005", "$12", "$")),
    *(({"amount": amount, "price": "2"}, "--amount") for amount in BAD_AMOUNTS),
]


def test_an_invalid_or_missing_option_is_named_in_one_line(fails):
    said = [(fails(*options(**given)), name) for given, name in BAD]
    for missing in ("--server-seed", "--client-seed", "--nonce"):
        said += [(fails(*(each for each in options() if not each.startswith(missing))), missing)]

    assert [(line, name) for line, name in said if name not in line or "\n" in line] == []
