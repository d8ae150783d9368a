"""Reports of bets, payments and liabilities, as pages and as CSV."""

import csv
import io
import re

import pytest

from services.figures import liabilities
from services.shared.clock import DAY_MS, iso_date
from tests.support.office import signed_in
from tests.support.openings import Openings, chest
from tests.support.table import Table


@pytest.fixture
def today(clock):
    return iso_date(clock())


@pytest.fixture
def played(app, player):
    """A won and a lost spin for two coins on ten, and an opening for five coins that won forty."""
    table, openings = Table(app), Openings(app)
    table.spin(player, wager=2, price=10, wins=True)
    table.spin(player, wager=2, price=10)
    openings.open(player, chest("desk"), wins="Crown")
    app.extensions["services"].log.append_now()


def rows_of(page, label):
    """The texts of the cells of a table, by row."""
    table = re.search(rf'aria-label="{label}".*?</table>', page.text, re.DOTALL)[0]
    cells = [re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL) for row in table.split("<tr")[1:]]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row] for row in cells]


def file_of(answer):
    assert answer.mimetype == "text/csv"
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    return list(csv.reader(io.StringIO(answer.text)))


@pytest.mark.usefixtures("played")
def test_a_report_by_game_has_the_figures_of_each_game_and_their_total(compliance):
    page = compliance.get("/office/reports?by=game")

    _, opened, spun, total = rows_of(page, "Bets")
    assert opened[:6] == ["case", "1", "5.00", "40.00", "\u221235.00", "0.10"]
    assert spun[:8] == ["upgrader", "2", "4.00", "10.00", "\u22126.00", "0.20", "250.00 %", "95.00 %"]
    assert total[:5] == ["Total", "3", "9.00", "50.00", "\u221241.00"]


@pytest.mark.usefixtures("played")
def test_each_line_leads_to_what_it_sums(compliance, today):
    page = compliance.get(f"/office/reports?from={today}&by=day")
    for by in ("game", "case"):
        (address, *_) = re.findall(r'<th scope="row"><a href="([^"]+)"', page.text)
        page = compliance.get(address.replace("&amp;", "&"))
        assert f"<option selected>{by}</option>" in page.text

    assert rows_of(page, "Bets")[1][:3] == ["case", "desk", "1"]


def first_cells(compliance, query):
    page = compliance.get(f"/office/reports?{query}")
    return [row[:2] for row in rows_of(page, "Bets")[1:-1]] if 'aria-label="Bets"' in page.text else page.text


@pytest.mark.usefixtures("played")
def test_filters_and_order_are_in_the_address(compliance, today):
    shown = {
        "by=game&sort=bets": [["case", "1"], ["upgrader", "2"]],
        "by=game&sort=-bets": [["upgrader", "2"], ["case", "1"]],
        "by=game&sort=-wagers": [["case", "1"], ["upgrader", "2"]],
        "by=price": [["under-100", "2"]],
        "by=case": [["case", "desk"]],
        "by=game&game=upgrader": [["upgrader", "2"]],
        "by=game&case=desk": [["case", "1"]],
        "by=nothing&game=nothing&price=nothing&from=nothing&sort=nothing&page=99": [[today, "3"]],
    }

    assert {query: first_cells(compliance, query) for query in shown} == shown
    for nothing in ("by=game&price=under-10", "by=game&from=2020-01-01&to=2020-01-02"):
        assert "There were no such bets" in first_cells(compliance, nothing)


@pytest.mark.usefixtures("played")
def test_the_csv_has_all_lines_of_the_page(compliance, today):
    page = compliance.get("/office/reports?by=game")
    address = re.search(r'href="(/office/reports/bets.csv[^"]*)"', page.text)[1]

    header, opened, spun = file_of(compliance.get(address.replace("&amp;", "&")))

    assert header[:5] == ["game", "bets", "wagers", "payouts", "gross gaming revenue"]
    assert opened[:6] == ["case", "1", "5.00", "40.00", "-35.00", "0.10"]
    assert spun[:8] == ["upgrader", "2", "4.00", "10.00", "-6.00", "0.20", "2.500000", "0.950000"]


def test_a_text_in_a_csv_is_no_formula(app, compliance, player):
    Openings(app).open(player, chest("=1+1"))
    app.extensions["services"].log.append_now()

    assert file_of(compliance.get("/office/reports/bets.csv?by=case"))[1][:2] == ["case", "'=1+1"]


@pytest.mark.both_databases("services/figures/payments_by_method.py")
@pytest.mark.settings(PAYMENT_METHODS="demo")
def test_payments_are_reported_by_day_and_method(app, run, player, today, clock):
    # The day does not end meanwhile.
    clock.ms -= clock.ms % DAY_MS
    compliance, services = signed_in(app, "compliance"), app.extensions["services"]
    for usd in ("10", "2.50"):
        run("payments", "record", player.platform_id, "deposit", usd)
    run("payments", "record", player.platform_id, "withdraw", "2")
    withdrawal, _ = services.withdrawals.request(
        user_id=player.id, method="demo", amount=500, to="there", idempotency_key=None, now=clock()
    )
    run("payments", "approve", withdrawal.id, "--reason", "a known player")
    for _ in range(5):
        services.payout_sender.run(now=clock())
        clock.move(seconds=40)

    page = compliance.get("/office/reports/payments")

    lines = [
        [today, "deposit", "recorded", "2", "12.50"],
        [today, "withdraw", "demo", "1", "5.00"],
        [today, "withdraw", "recorded", "1", "2.00"],
    ]
    totals = [["Total: deposit", "12.50"], ["Total: withdraw", "7.00"]]
    assert rows_of(page, "Payments by day and method")[1:] == lines + totals
    assert file_of(compliance.get("/office/reports/payments.csv"))[1:] == lines


def test_liabilities_are_reported_by_day(compliance, player, clock, today):
    liabilities.store_due(now=clock())
    clock.ms += DAY_MS - clock() % DAY_MS + 61_000
    liabilities.store_due(now=clock())
    later = signed_in(compliance.app, "auditor")

    page = later.get("/office/reports/liabilities")

    rows = rows_of(page, "Liabilities by day")[1:]
    assert [row[:7] for row in rows] == [
        [day, "100.00", "0.00", "0.00", "0.00", "0.00", "100.00"] for day in (today, iso_date(clock()))
    ]
    assert rows[0][-1] == "at its end"
    assert [row[-1] for row in file_of(later.get("/office/reports/liabilities.csv"))] == [
        "is final",
        "yes",
        "no",
    ]


@pytest.mark.usefixtures("played")
def test_the_overview_shows_figures_by_game_and_what_the_house_owes(compliance, clock, today):
    liabilities.store_due(now=clock())

    page = compliance.get("/office/")

    rows = rows_of(page, "Figures by game")
    assert [row[:5] for row in rows if row[:1] == ["Today"]] == [
        ["Today", "case", "1", "5.00", "40.00"],
        ["Today", "upgrader", "2", "4.00", "10.00"],
        ["Today", "all games", "3", "9.00", "50.00"],
    ]
    assert [row[:2] for row in rows_of(page, "Figures by day")[1:]] == [[today, "3"]]
    assert '<strong><span class="money">141.00</span></strong>' in page.text
    assert f"<p>{today}<br>Return to player: <strong>555.6 %</strong><br>Theoretical:" in page.text


@pytest.mark.usefixtures("played")
def test_the_figures_of_yesterday_are_on_the_overview_and_in_a_report(app, clock, today):
    clock.ms += DAY_MS
    auditor = signed_in(app, "auditor")

    rows = [row[:4] for row in rows_of(auditor.get("/office/"), "Figures by game")]
    assert [row for row in rows if row[1:2] == ["all games"]] == [
        ["Today", "all games", "0", "0.00"],
        ["Yesterday", "all games", "3", "9.00"],
        ["7 days", "all games", "3", "9.00"],
        ["30 days", "all games", "3", "9.00"],
    ]
    page = auditor.get("/office/reports?by=game").text
    address = re.search(r'<a href="([^"]+)">Yesterday</a>', page)[1].replace("&amp;", "&")
    assert address == f"/office/reports?by=game&from={today}&to={today}"
    assert rows_of(auditor.get(address), "Bets")[-1][:3] == ["Total", "3", "9.00"]


@pytest.mark.both_databases("services/staff/payment_lists.py")
def test_support_sees_open_work_and_no_figures(app, support, player, clock):
    app.extensions["services"].withdrawals.request(
        user_id=player.id, method="demo", amount=500, to="there", idempotency_key=None, now=clock()
    )

    page = support.get("/office/")

    assert re.search(r"Withdrawals requested.*?<dd>1 ", page.text, re.DOTALL)
    assert "Prizes to ship" in page.text
    assert "Figures by game" not in page.text
    assert "What the house owes" not in page.text


def tiles_of(page):
    """What each tile of the overview says, by its label."""
    section = re.search(r'<section id="tiles".*?</section>', page.text, re.DOTALL)[0]
    texts = [" ".join(re.sub(r"<[^>]+>", " ", each).split()) for each in section.split("<li")[1:]]
    return {text.split("> ", 1)[-1].split(" Today so far")[0] for text in texts}


@pytest.mark.both_databases("services/figures/glance.py")
def test_the_overview_compares_today_with_the_same_weekday_before(app, run, player, clock):
    # A day does not end meanwhile.
    clock.ms -= clock.ms % DAY_MS
    clock.move(minutes=5)
    table = Table(app)
    table.spin(player, wager=2, price=10)
    run("payments", "record", player.platform_id, "deposit", "10")
    app.extensions["services"].log.append_now()
    clock.ms += 7 * DAY_MS
    table.spin(player, wager=3, price=10, wins=True)
    run("payments", "record", player.platform_id, "deposit", "2.50")
    app.extensions["services"].log.append_now()

    page = signed_in(app, "auditor").get("/office/")

    assert tiles_of(page) == {
        "Players active 1 100 % of 1",
        "New players 0 0 % of 1",
        "Deposits 2.50 25 % of 10.00",
        "Withdrawals 0.00 Then: 0.00",
        "Net revenue (GGR) \u22127.00 -350 % of 2.00",
        "Cost of rewards 0.00 Then: 0.00",
    }
    assert tiles_of(signed_in(app, "support").get("/office/live")) == {
        "Players active 1 100 % of 1",
        "New players 0 0 % of 1",
    }


@pytest.mark.usefixtures("played")
def test_a_chart_has_a_line_from_the_first_day_and_one_of_the_days_before(app, clock):
    first = signed_in(app, "compliance").get("/office/").text
    clock.ms += 30 * DAY_MS
    later = signed_in(app, "auditor").get("/office/").text

    assert re.search(r'class="dots main" d="M983.3 [0-9.]+h0"', first)
    assert "The 30 days before" not in first
    assert "The 30 days before: <strong>555.6 %</strong>" in later


@pytest.mark.parametrize("report", ["?by=game", "/payments", "/liabilities"])
def test_a_report_has_a_chart_with_the_days_before_as_a_second_line(app, run, player, clock, report):
    clock.ms += DAY_MS // 2 - clock() % DAY_MS
    services, table = app.extensions["services"], Table(app)
    for _ in range(2):
        table.spin(player, wager=2, price=10)
        run("payments", "record", player.platform_id, "deposit", "10")
        services.log.append_now()
        liabilities.store_due(now=clock())
        clock.ms += DAY_MS
    last_day = iso_date(clock() - DAY_MS)
    path, _, query = report.partition("?")

    page = signed_in(app, "auditor").get(f"/office/reports{path}?from={last_day}&to={last_day}&{query}")

    figure = re.search(r"<figure.*?</figure>", page.text, re.DOTALL)[0]
    assert re.findall(r'class="dots ([a-z]+)"', figure)[0] == "earlier"
    assert re.search(r"he day before: <strong>(2|10|108)</strong>", figure), figure
