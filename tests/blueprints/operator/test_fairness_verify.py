"""flask fairness verify: recomputes one bet without a database."""

import json
import socket

import pytest

from tests.support.golden_vectors import OPENINGS, REFUSED, REFUSED_OPENINGS, SPINS

ROLL_77 = SPINS[0]["input"]
"""It rolls 77.17409 percent."""


@pytest.fixture
def database_url():
    """An address that is taken, so that nobody else gets it, and where nobody listens."""
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


def all_options(given):
    """The command line for all input of a golden vector."""
    return options(given, amount=given["betAmount"], price=given["price"], house_edge=given["houseEdge"])


@pytest.fixture
def opening(tmp_path):
    """The command line for all input of a golden vector of an opening, with what to replace."""

    def opening(given, **more):
        path = tmp_path / "snapshot.json"
        path.write_text(given["content"], encoding="utf-8")
        return options(given, game=given["algorithm"].removesuffix("-1"), snapshot=path, **more)

    return opening


def test_the_command_gives_the_golden_vectors_of_openings(run, opening):
    printed = ("ticket", "percent", "snapshot", "item", "amount")

    for vector in OPENINGS:
        given, expected = vector["input"], vector["output"]
        answer = run(*opening(given))

        committed = answer["serverSeedCommitment"] == given["serverSeedCommitment"]
        assert committed is expected["committed"], vector["why"]
        assert {name: answer[name] for name in printed} == {name: expected[name] for name in printed}


def test_the_command_refuses_openings_that_the_golden_vectors_refuse(fails, opening):
    for vector in REFUSED_OPENINGS:
        assert len(fails(*opening(vector["input"])).splitlines()) == 1, vector["why"]


def test_a_snapshot_may_end_with_a_line_end(run, opening):
    given = OPENINGS[0]["input"]

    answer = run(*opening(given | {"content": given["content"] + "\n"}))

    assert answer["snapshot"] == given["snapshot"]


@pytest.mark.parametrize(
    "given", [{"game": "case"}, {"snapshot": "snapshot.json"}, {"game": "spin"}], ids=str
)
def test_an_opening_without_its_game_or_its_snapshot_is_refused_in_one_line(fails, given, tmp_path):
    (tmp_path / "snapshot.json").touch()
    given |= {"snapshot": tmp_path / "snapshot.json"} if "snapshot" in given else {}

    assert len(fails(*options(**given)).splitlines()) == 1


@pytest.mark.parametrize(
    "given", [{"amount": "1", "price": "2"}, {"price": "2"}, {"house_edge": "0"}], ids=str
)
def test_an_opening_has_no_wager_price_or_house_edge_of_a_spin(fails, opening, given):
    assert "no amount, price or house edge" in fails(*opening(OPENINGS[0]["input"], **given))


def test_a_missing_or_undecodable_snapshot_is_refused_in_one_line(fails, opening, tmp_path):
    arguments = opening(OPENINGS[0]["input"])
    (tmp_path / "snapshot.json").write_bytes(b"\xff")
    assert len(fails(*arguments).splitlines()) == 1
    (tmp_path / "snapshot.json").unlink()
    assert len(fails(*arguments).splitlines()) == 1


def test_the_command_gives_the_golden_vectors(run):
    printed = ("roll", "percent", "threshold", "chance", "win")

    for vector in SPINS:
        given, expected = vector["input"], vector["output"]
        answer = run(*all_options(given))

        committed = answer["serverSeedCommitment"] == given["serverSeedCommitment"]
        assert committed is expected["committed"], vector["why"]
        assert {name: answer[name] for name in printed} == {name: expected[name] for name in printed}


def test_the_command_refuses_what_the_golden_vectors_refuse(fails):
    for vector in REFUSED:
        assert len(fails(*all_options(vector["input"])).splitlines()) == 1, vector["why"]


def test_without_an_amount_only_the_roll_and_the_commitment_are_printed(run):
    assert set(run(*options())) == {"serverSeedCommitment", "roll", "percent"}


@pytest.mark.parametrize(
    ("amount", "threshold", "chance", "win"),
    [("8.12", 7_714_000, 77.14, False), ("8.13", 7_723_500, 77.235, True)],
)
def test_with_an_amount_and_a_price_the_outcome_is_printed(run, amount, threshold, chance, win):
    answer = run(*options(amount=amount, price="10"))

    assert answer["threshold"] == threshold
    assert answer["chance"] == chance
    assert answer["win"] is win
    assert answer["houseEdge"] == 0.05


def test_a_roll_that_equals_the_threshold_loses(run):
    answer = run(*options(amount="28.79", price="35.44"))

    assert answer["threshold"] == answer["roll"] == SPINS[0]["output"]["roll"]
    assert answer["win"] is False


def test_the_threshold_uses_the_house_edge_of_the_settings(make_app):
    runner = make_app(UPGRADER_HOUSE_EDGE="0").test_cli_runner()

    answer = json.loads(runner.invoke(args=options(amount="5", price="10")).stdout)

    assert (answer["houseEdge"], answer["threshold"]) == (0, 5_000_000)


def test_a_wager_too_small_for_the_item_has_no_chance(run):
    answer = run(*options(amount="0.01", price="1000000000"))

    assert (answer["threshold"], answer["chance"], answer["win"]) == (0, 0, False)


def test_a_command_that_needs_the_database_fails_where_these_tests_run(fails):
    assert "the database is not available" in fails("fairness", "audit")


@pytest.mark.parametrize("client_seed", ["abc", "a" * 65, "ab:cd", "", "abcd\n", "äbcd"], ids=ascii)
def test_a_bad_client_seed_is_refused_in_one_line(fails, client_seed):
    said = fails(*options(client_seed=client_seed))

    assert "client seed" in said
    assert len(said.splitlines()) == 1


def test_a_server_seed_that_is_not_ascii_is_refused_in_one_line(fails):
    a_byte_that_is_not_utf_8 = "\udcff"

    said = fails(*options(server_seed=a_byte_that_is_not_utf_8))

    assert "server seed" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("given", [{"amount": "1"}, {"price": "1"}], ids=str)
def test_an_amount_without_a_price_is_refused_in_one_line(fails, given):
    said = fails(*options(**given))

    assert "--amount and --price" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(("amount", "price"), [("10", "10"), ("10.01", "10"), ("0", "10"), ("0", "0")])
def test_an_amount_outside_zero_and_the_price_is_refused_in_one_line(fails, amount, price):
    said = fails(*options(amount=amount, price=price))

    assert "below the price" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("name", ["amount", "price"])
@pytest.mark.parametrize(
    "value", ["1.005", "-1", "NaN", "Infinity", "1e400", "1e1000000", "1000000000.01", "one", "", "true"]
)
def test_an_invalid_amount_is_refused_in_one_line_that_names_the_option(fails, name, value):
    said = fails(*options(**{"amount": "1", "price": "2", name: value}))

    assert f"--{name}" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("nonce", ["0", "-1", "1.5", "one", ""])
def test_a_nonce_below_1_is_refused_in_one_line(fails, nonce):
    said = fails(*options(nonce=nonce))

    assert "--nonce" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("left_out", ["--server-seed", "--client-seed", "--nonce"])
def test_a_missing_option_is_refused_in_one_line_that_names_it(fails, left_out):
    said = fails(*(option for option in options() if not option.startswith(left_out)))

    assert left_out in said
    assert len(said.splitlines()) == 1
