"""No secret is in the logs of a production server at the highest level during many failures."""

import os
import signal
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest
import requests

from models.announced_seeds import AnnouncedSeed
from models.bets import Prize
from models.db.connection import reading
from models.users import User
from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.btcpay.faults import Fault
from tests.harness.databases import durable_postgres
from tests.harness.servers import ROOT, flask_command, gunicorn
from tests.harness.waiting import wait_until
from tests.support.identity_provider import identity_provider
from tests.support.openings import win_prize
from tests.support.platform_provider import platform_provider
from tests.support.whole_run import WholeRun

pytestmark = [pytest.mark.process, pytest.mark.thorough]

TXHASH = "0x" + "5ec4e7" * 10
ADDRESS = "bc1qwithdrawaladdressofthetests"
PAYMENT = ["--chain", "a-chain", "--asset", "an-asset", "--txhash", TXHASH, "--to", ADDRESS]


@pytest.fixture
def database():
    with durable_postgres() as server:
        yield server


@pytest.fixture
def database_url(database):
    """One that can be stopped in the middle."""
    with database.fresh() as url:
        yield url


@pytest.fixture
def fake():
    """A BTCPay Server that loses an answer about a payout."""
    with FakeBtcPay() as fake:
        fake.faults.next("create payout", Fault.LOST_ANSWER)
        yield fake
        assert fake.violations == []


@pytest.fixture
def env(env, fake):
    with platform_provider() as game_platform, identity_provider() as identity:
        yield {
            **env,
            **game_platform.settings,
            **identity.settings,
            **fake.settings(),
            "PAYMENTS_POLL_SECONDS": "0.5",
            "PAYMENTS_WEBHOOK_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "WITHDRAWAL_AUTO_APPROVE": "100000",
            "AFFILIATE_SPECIAL_CODE": "SPECIALCODEOFTHEHOUSE",
            "PRICE_FEED_URL": "http://127.0.0.1:1/feed?key=key-of-the-feed",
            "UPGRADER_MAX_WAGER": "1000000",
            "LOG_LEVEL": "debug",
        }


def pay(env, player, kind, usd):
    """Record a payment as the processor's worker does; what the command said on standard error."""
    command = [*flask_command(), "payments", "record", player.platform_id, kind, usd, *PAYMENT]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | env, capture_output=True, text=True, timeout=60, check=False
    ).stderr


def pay_at_the_provider(fake):
    """Pay the player's invoice, and the withdrawal to an address that the provider knows."""
    fake.pay(fake.invoices[0].id)
    wait_until(lambda: [payout.state for payout in fake.payouts] == ["AwaitingPayment"])
    fake.complete(fake.payouts[0])
    fake.wait_until_idle()


def crash_worker(server):
    """Let it end as a library does that reads where it may not."""
    master = server.process.pid
    children = Path(f"/proc/{master}/task/{master}/children")
    [worker] = children.read_text().split()
    os.kill(int(worker), signal.SIGSEGV)
    wait_until(lambda: children.read_text().split() not in ([], [worker]))


def what_lies_in_the_database(app, player):
    """The balance, the player's seed, the server's for the next spin, and where the prize is shipped to."""
    with reading():
        user = User.get_by_id(player.id)
        announced = AnnouncedSeed.get_by_id(player.id)
        opened = app.extensions["services"].seeds.load(user_id=player.id).server_seed
        encrypted_address = Prize.get().encrypted_address
    coins = str(Decimal(user.balance_cents) / 100)
    seeds = (user.client_seed, opened, announced.encrypted_server_seed)
    return coins, str(user.balance_cents), *seeds, encrypted_address


@pytest.mark.guarantee("Secrets")
@pytest.mark.security("Logs, errors and the database")
def test_no_log_contains_a_secret_after_every_kind_of_failure(
    app, env, fake, database, new_player, add_item, warm_start, tmp_path
):
    player = new_player(coins=1_000_000)
    item = add_item(price=100_000)
    told = []
    with warm_start.server_process(gunicorn("tests.support.changed_apps:failing()"), env, tmp_path) as server:
        run = WholeRun(server.url, player.token, item, win_prize(app, player))
        run.note("setting", *(env[name] for name in env if "SECRET" in name or "KEY" in name))
        run.note("setting of the house", "SPECIALCODEOFTHEHOUSE", "key-of-the-feed", fake.pull_payment.id)
        fake.send_webhooks_to(f"{server.url}/webhooks/btcpay")
        run.note("payment", TXHASH, ADDRESS, "49983.19", "4998319")
        told.append(pay(env, player, "deposit", "49983.19"))
        run.do_everything()
        pay_at_the_provider(fake)
        run.note("in the database", *what_lies_in_the_database(app, player))
        with database.away():
            told.append(pay(env, player, "withdraw", "49983.19"))
            run.move_money()
            run.send_bad_requests()
        crash_worker(server)
        wait_until(lambda: requests.get(f"{server.url}/readyz", timeout=10).status_code == 200)
        run.change_profile()
        server.stop()
    log = server.log.read_text()
    told += [log, server.output.read_text()]

    assert run.find("\n".join(told)) == []
    # It was the run that it is meant to be.
    assert [mark for mark in MARKS if mark not in log] == []
    assert run.find(f"Bearer {player.token}, code {run.secrets['2fa 1']}.") == ["token", "2fa 1"]


MARKS = (
    '"level":"debug"',
    '"route":"/auth/identity/callback","status":302',
    '"route":"/profile/2fa/enable","status":400',
    '"event":"upgrader:spin","outcome":"Commitment does not match"',
    '"message":"request failed"',
    '"message":"connection failed"',
    '"message":"database unavailable"',
    '"message":"packet refused"',
    '"message":"withdrawal not sent: ',
    '"route":"/webhooks/btcpay","status":200',
    '"route":"/webhooks/payments","status":401',
    "was sent SIGSEGV",
)
