"""Connections to Redis with TLS and passwords, and what the log says when they fail."""

import pytest

from tests.harness.redis import redis_server
from tests.harness.servers import threaded_server
from tests.harness.waiting import wait_until
from tests.support.certificate import self_signed
from tests.support.markers import postgresql_only

pytestmark = [
    pytest.mark.redis,
    postgresql_only,
]

PASSWORD = "password-of-the-cache"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return self_signed(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def protected(certificate):
    """A server with TLS and a password."""
    with redis_server(password=PASSWORD, certificate=certificate) as server:
        yield server


@pytest.mark.thorough
def test_a_process_connects_whatever_options_the_url_has(make_app, redis, protected, certificate):
    for url in (
        f"{redis.url}?decode_responses=yes&socket_timeout=100&protocol=3",
        f"{protected.url}?ssl_cert_reqs=none",
        f"{protected.url}?ssl_ca_certs={certificate}",
    ):
        app = make_app(REDIS_URL=url)
        with threaded_server(app):
            wait_until(lambda app=app: app.extensions["services"].signals.state == "ok")


def logged(caplog):
    return "".join(str(vars(record)) for record in caplog.records)


@pytest.mark.thorough
def test_a_bad_certificate_is_refused_and_no_password_logged(make_app, protected, caplog):
    wrong = protected.url.replace(PASSWORD, "wrong-password")
    for url, failure in (
        (protected.url, "SSLCertVerificationError"),
        (f"{wrong}?ssl_cert_reqs=none", "AuthenticationError"),
    ):
        with threaded_server(make_app(REDIS_URL=url)):
            wait_until(lambda failure=failure: failure in logged(caplog))

    assert "wrong-password" not in logged(caplog)
