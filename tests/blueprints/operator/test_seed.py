"""flask seed and flask demo: data and a player to try the platform with."""

import re
from collections import Counter

import pytest

from models.bets import Bet
from models.cases import Case, CaseItem, IrlCase, IrlItem
from models.db.connection import reading, writing
from models.items import Item
from models.payments import PaymentRecord, Withdrawal
from models.staff import Alarm, Proposal
from models.users import User
from services.demo.history import CODE

SEEDED = (Item, Case, CaseItem, IrlCase, IrlItem, User, Bet)
DEMO_ITEMS = 80
LAST_BETS = {"upgrader": 48, "case": 9, "irl": 3}
"""Those of the last hours, in this order of games; before them come thirty days."""
NOTHING = {"items": 0, "cases": 0, "irlCases": 0, "bets": 0}
ONLY_IN_POCKET_LINT = "P250 | Northern Stamp (Minimal Wear)"


@pytest.fixture
def instance_dir(tmp_path):
    return tmp_path / "instance"


@pytest.fixture
def stored(app):  # the app has opened the database
    """Gives everything that is stored of the items, or of another table."""

    def rows(table=Item):
        with reading():
            return sorted(table.select().dicts(), key=str)

    return rows


def test_seeding_again_imports_only_what_is_missing(run, stored, instance_dir):
    seeded = run("seed")
    assert seeded | {"bets": 0} == {"items": DEMO_ITEMS, "cases": 21, "irlCases": 4, "bets": 0}
    with writing():
        Item.update(price_cents=1, image="").where(Item.id == stored()[0]["id"]).execute()
        Case.update(kind="level").where(Case.name == "Pocket Lint").execute()
        Case.update(name="Crumbs", name_folded="crumbs").where(Case.kind == "free").execute()
        IrlCase.update(price_cents=1).execute()
    before = [stored(table) for table in SEEDED]
    picture = min((instance_dir / "media" / "items").glob("*.webp"))
    content = picture.read_bytes()
    picture.unlink()

    assert run("seed") == NOTHING

    assert [stored(table) for table in SEEDED] == before
    assert picture.read_bytes() == content
    with writing():
        Case.delete().where(Case.name == "Pocket Lint").execute()
        Item.delete().where(Item.market_hash_name == ONLY_IN_POCKET_LINT).execute()
        IrlCase.delete().where(IrlCase.slug == "desk-upgrade").execute()

    assert run("seed") == {"items": 1, "cases": 1, "irlCases": 1, "bets": 0}

    assert len(stored()) == DEMO_ITEMS


def test_demo_bets_are_shown_and_pass_the_audits(run, client):
    made = run("seed")["bets"]

    bets = client.get("/stats/live-bets?limit=60").json["data"]["bets"]
    leaders = client.get("/leaderboard?period=monthly").json
    assert len({bet["user"] for bet in bets}) == 8
    assert Counter(bet["game"] for bet in bets) == LAST_BETS
    assert {leader["wager"] > 0 for leader in leaders} == {True}
    ledger, fairness = run("ledger", "audit"), run("fairness", "audit")
    assert (ledger["users"], ledger["mismatches"]) == (9, 0)
    assert (fairness["bets"], fairness["mismatches"]) == (made, 0)
    assert run("audit", "verify")["problems"] == 0


def test_the_demo_has_a_past_of_thirty_days_and_work_for_the_staff(app, run):
    run("seed")

    days = [line["day"] for line in run("fairness", "report")["days"]]
    with reading():
        assert len(days) >= 30
        assert PaymentRecord.select().count() > 10
        assert [row.status for row in Withdrawal.select()] == ["requested"]
        assert [(row.action, row.status) for row in Proposal.select()] == [("balance.change", "open")]
        assert Alarm.select().where(Alarm.acknowledged_at_ms.is_null()).count() == 1
        assert User.select().where(User.affiliate_code == CODE).count() == 1


@pytest.mark.settings(RAKEBACK_RATE="0.1", DAILY_SHARE="0.1")
def test_the_player_of_the_demo_has_rewards_from_the_beginning(run, client):
    run("seed")
    token = run("demo")["page"].split("?token=")[1]

    me, rewards = (
        client.get(path, headers={"Authorization": f"Bearer {token}"}).json
        for path in ("/auth/me", "/rewards")
    )

    assert (me["balance"], me["level"]) == (1000, 10)
    assert rewards["data"]["rakeback"]["available"] >= 4.9
    assert {gift["state"] for gift in rewards["data"]["levels"] if gift["level"] <= 10} == {"offered"}


def test_the_demo_catalogue_has_both_games_all_cases_and_pictures(run, client):
    run("seed")

    items = client.get("/upgrader/items").json
    assert {item["appid"] for item in items} == {730, 252490}
    prizes = [item["image"] for case in client.get("/irl").json for item in case["items"]]
    pictures = {*prizes, *(item["image"] for item in items)}
    assert (len(prizes), len(pictures)) == (24, DEMO_ITEMS + 24)
    answers = [client.get(picture, buffered=True) for picture in pictures]
    assert {(answer.status_code, answer.content_type) for answer in answers} == {(200, "image/webp")}
    page = client.get("/api/cases/pagination?caseType=false&limit=100").json["cases"]
    assert {case["type"] for case in page} == {"gamea", "gameb", "mixed"}
    assert client.get("/api/cases/free").status_code == 200
    faces = [client.get(case["image"], buffered=True) for case in (*page, *client.get("/irl").json)]
    assert {(answer.status_code, answer.content_type) for answer in faces} == {(200, "image/webp")}
    levels = sorted(client.get("/api/cases?type=true").json, key=lambda case: case["price"])
    # Cases of higher levels cost more.
    assert [int(case["name"].split()[1]) for case in levels] == list(range(10, 101, 10))
    assert len(client.get("/irl").json) == 4


def test_the_demo_page_is_signed_in_as_the_demo_player(run, client):
    line, again = run("demo"), run("demo")

    address, token = line["page"].split("?token=")
    me = client.get("/auth/me", headers={"Authorization": f"Bearer {token}"}).json
    assert address == "http://127.0.0.1:5000/"
    assert (me["username"], me["balance"]) == (line["username"], 1000)
    assert again["username"] == line["username"]
    assert run("ledger", "audit") == {"users": 1, "transactions": 1, "entries": 2, "mismatches": 0}


def test_the_demo_page_can_be_printed_as_a_bare_address(app):
    output = app.test_cli_runner().invoke(args=["demo", "--url"]).output

    assert re.fullmatch(r"http://127\.0\.0\.1:5000/\?token=[\w.-]+\n", output)


def test_production_needs_force_for_demo_data(make_app, instance_dir):
    app = make_app(
        APP_ENV="production",
        SECRET_KEY="f3a9c1d77be04e52a8816b1f0c9d2e34",
        JWT_SECRET="0b7e55d1c2f84a6d9be3a7716c20f498",
        INSTANCE_DIR=str(instance_dir),
    )
    runner = app.test_cli_runner()

    for command in ("seed", "demo"):
        refused, forced = runner.invoke(args=[command]), runner.invoke(args=[command, "--force"])

        assert (refused.exit_code, forced.exit_code) == (1, 0)
        assert refused.stderr == "Error: APP_ENV is production: demo data needs --force\n"
