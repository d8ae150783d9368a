"""Fixtures of the back office: a clock that moves by hand, and members of staff."""

import pytest

from services.shared.clock import now_ms
from tests.blueprints.site.conftest import serve_site
from tests.harness.btcpay.fake import FakeBtcPay
from tests.support.office import enrolled, signed_in


class Clock:
    """The app's clock, which a test moves."""

    def __init__(self):
        self.ms = now_ms()

    def __call__(self):
        return self.ms

    def move(self, *, minutes=0, seconds=0):
        self.ms += minutes * 60_000 + seconds * 1_000


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def member(app):
    """A member of staff who has enrolled, and is not signed in."""
    return enrolled(app)


@pytest.fixture
def admin(app):
    """An administrator who is signed in."""
    return signed_in(app, "admin")


@pytest.fixture
def auditor(app):
    return signed_in(app, "auditor")


@pytest.fixture
def compliance(app):
    return signed_in(app, "compliance")


@pytest.fixture
def support(app):
    return signed_in(app, "support")


@pytest.fixture
def editor(app):
    return signed_in(app, "content", "ed")


@pytest.fixture
def second(app):
    """Another one who edits cases and items."""
    return signed_in(app, "content", "sue")


@pytest.fixture(scope="session")
def btcpay():
    """The payment provider of ``office_site``, beside the demo's."""
    with FakeBtcPay() as fake:
        yield fake
        assert fake.violations == []


@pytest.fixture(scope="session")
def office_site(tmp_path_factory, sqlite_files, warm_start, btcpay):
    """A server with the demo data, for tests in a browser. Each uses players and staff of its own."""
    directory = tmp_path_factory.mktemp("office")
    settings = btcpay.settings() | {"PAYMENT_METHODS": "demo,btcpay"}
    with (
        sqlite_files.fresh(directory) as database_url,
        serve_site(warm_start, directory, database_url, demo=True, **settings) as site,
    ):
        btcpay.send_webhooks_to(f"{site.url}/webhooks/btcpay")
        yield site
        btcpay.send_webhooks_to(None)


@pytest.fixture(scope="session")
def demo_address(office_site):
    """The address that signs in the demo administrator."""
    return office_site.text("demo", "--office")
