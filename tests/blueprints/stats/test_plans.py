"""Query plans: no list and no total reads more rows than its page."""

import re

import pytest
from peewee import SqliteDatabase

from models import proof_queries
from models.cases import CASE
from models.db.connection import database, reading
from models.users import User
from services.bets import live_bets
from services.statistics import player_lists
from tests.blueprints.stats.conftest import NOW
from tests.harness import bulk_history
from tests.harness.players import signed_in
from tests.harness.spins import Clock
from tests.support.apps import fresh_app
from tests.support.markers import DATABASE_FIXTURES
from tests.support.statements import recorded_statements

BETS = 11_000

PAGES = ("page=1", "page=2&limit=100", "page={last}")
LISTS = {
    "/stats/games": [
        f"{page}&sort={sort}"
        for page in PAGES
        for sort in ("most-recent", "least-recent", "most-earned", "least-earned")
    ],
    "/stats/fairness": [f"{page}&sort={sort}" for page in PAGES for sort in ("most-recent", "least-recent")],
    "/stats/live-bets": [f"{page}&type={kind}" for page in PAGES for kind in ("live-bets", "high-rolls")],
}
OF_ONE_GAME = {
    "/stats/games": [
        f"{page}&search={game}&sort={sort}"
        for page in PAGES
        for game in ("grad", "case", "irl", "r")
        for sort in ("most-recent", "least-recent", "most-earned", "least-earned")
    ],
    "/stats/fairness": [f"{page}&game={game}" for page in PAGES for game in ("upgrader", "case", "irl")],
}


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.thorough)])
def app(request, tmp_path_factory):
    """An app with a long history that the tests only read."""
    databases = request.getfixturevalue(DATABASE_FIXTURES[request.param])
    clock = Clock(NOW)
    with fresh_app(databases, tmp_path_factory.mktemp("history"), clock=clock, JWT_TTL="315360000") as app:
        written = bulk_history.begin(seeds=app.extensions["services"].seeds, now=NOW)
        bulk_history.extend(written, to=BETS)
        clock.now = written.now
        yield app


@pytest.fixture
def heavy(app):
    """A player with a tenth of the history."""
    with reading():
        first = User.get(User.username == "player-0")
    return signed_in(app, first)


@pytest.fixture
def statements(client, heavy):
    """The SELECT statements of a request, with their parameters."""
    with recorded_statements() as seen:

        def asked(path, query):
            first = client.get(f"{path}?{query.format(last=1)}", headers=heavy.headers).json
            last = (first["data"]["totalPages"] if "{last}" in query else 1) or 1
            seen.clear()
            answer = client.get(f"{path}?{query.format(last=last)}", headers=heavy.headers)
            assert answer.status_code == 200, answer.text
            return [statement for statement in seen if statement[0].startswith("SELECT")]

        yield asked


def plan(statement):
    """The query plan of a statement."""
    sql, parameters = statement
    explain = "EXPLAIN QUERY PLAN" if isinstance(database.obj, SqliteDatabase) else "EXPLAIN"
    with reading():
        rows = database.execute_sql(f"{explain} {sql}", parameters).fetchall()
    return [str(row[-1]) for row in rows]


def reads_all_bets(lines):
    # SQLite's SCAN is of a whole table or index; PostgreSQL looks up only what an index condition finds.
    return any(line.startswith(("SCAN t1", "SCAN bets")) or "Seq Scan on bets" in line for line in lines)


@pytest.fixture
def plans(statements):
    """The query plans of the SELECT statements from a table that these requests make, by their SQL."""

    def made(requests):
        asked = [
            statement
            for path, queries in requests.items()
            for query in queries
            for statement in statements(path, query)
            if 'FROM "bets"' in statement[0]
        ]
        return {sql: plan((sql, parameters)) for sql, parameters in asked}

    return made


def sorts(lines):
    return any("TEMP B-TREE" in line or "Sort" in line for line in lines)


@pytest.mark.guarantee("A long history")
def test_no_list_reads_or_sorts_more_than_its_page(plans):
    found = plans(LISTS)

    assert len(found) > 10
    assert {sql: lines for sql, lines in found.items() if reads_all_bets(lines)} == {}
    # The rows of a page are fetched by their ids; everything else comes in order from an index.
    in_order = {sql: lines for sql, lines in found.items() if '"id" IN (' not in sql}
    assert {sql: lines for sql, lines in in_order.items() if sorts(lines)} == {}


@pytest.mark.guarantee("A long history")
def test_the_activity_of_a_case_is_read_from_its_indexes(app, monkeypatch):
    monkeypatch.setattr(live_bets, "_row_id", lambda *_: bulk_history.CASE_ID)
    with recorded_statements() as seen:
        activity = live_bets.of_case(game=CASE, case_id="any", now=app.extensions["services"].clock())

    plans = [" ".join(plan(statement)) for statement in seen if 'FROM "bets" AS "t1"' in statement[0]]
    assert (len(activity.last), len(activity.best)) == (10, 10)
    indexes = [re.findall(r"bets_\w+", lines) for lines in plans]
    assert indexes == [["bets_of_case"], ["bets_best_of_case"]]
    assert [lines for lines in plans if sorts([lines])] == []


def test_a_list_of_one_game_fetches_only_its_bets(plans):
    found = {sql: " ".join(lines) for sql, lines in plans(OF_ONE_GAME).items() if '"game" IN' in sql}

    assert len(found) > 5
    only_index = re.compile(r"(COVERING INDEX|Index Only Scan (Backward )?using) bets_of_player_")
    assert {sql: used for sql, used in found.items() if not only_index.search(used)} == {}


@pytest.mark.parametrize("search", ["abc", "42", "seed&page=2&sort=least-recent"])
def test_a_proof_search_reads_a_slice_of_the_bets_per_statement(statements, monkeypatch, search):
    monkeypatch.setattr(player_lists, "NONCES_A_STATEMENT", 1000)
    searching = [
        parameters for sql, parameters in statements("/stats/fairness", f"search={search}") if "LOWER(" in sql
    ]

    # The player, the first and the last nonce of each slice.
    slices = [(first, last) for _user, first, last, *_ in searching]
    assert slices == [(1, 1000), (1001, 1100)]


def test_proofs_are_found_and_claimed_in_an_index(app):
    services = app.extensions["services"]
    with reading():
        players = list(User.select(User.id).scalars())
    # The first start reads all older bets, once.
    services.log.watch()
    with recorded_statements() as seen:
        services.proofs.undelivered({player: player == players[0] for player in players})
        proof_queries.unclaimed(due_by=services.clock())
        proof_queries.unclaimed(due_by=None)
        services.proofs.claim({1: None, 2: 0})

    undelivered, overdue, unclaimed, claimed = [
        " ".join(plan(statement)) for statement in seen if re.search(r"\bbets\b(?!')", statement[0])
    ]
    assert "bets_without_delivered_proof" in undelivered
    assert "bets_unclaimed" in overdue
    assert "bets_unclaimed" in unclaimed
    assert not re.search(
        r"Seq Scan on bets|SCAN bets(?! USING INDEX)", undelivered + overdue + unclaimed + claimed
    )
