"""Connections to Redis with TLS and passwords, and what the log says when they fail."""

import pytest

from bench.harness.redis import redis_server
from bench.harness.servers import threaded_server
from bench.harness.waiting import wait_until
from tests.support.certificate import self_signed

pytestmark = [
    pytest.mark.redis,
    pytest.mark.parametrize("database_url", ["postgresql"], indirect=True),
]

PASSWORD = "password-of-the-cache"


@pytest.fixture
def certificate(tmp_path):
    return self_signed(tmp_path)


def test_options_in_the_url_do_not_change_what_the_product_relies_on(make_app, redis):
    app = make_app(REDIS_URL=f"{redis.url}?decode_responses=yes&socket_timeout=100&protocol=3")

    with threaded_server(app):
        wait_until(lambda: not app.extensions["services"].signals.are_away)


@pytest.mark.parametrize("query", ["?ssl_cert_reqs=none", "?ssl_ca_certs={certificate}"])
def test_a_process_connects_with_tls_and_a_password(make_app, certificate, query):
    with redis_server(password=PASSWORD, certificate=certificate) as redis:
        app = make_app(REDIS_URL=redis.url + query.format(certificate=certificate))
        with threaded_server(app):
            wait_until(lambda: not app.extensions["services"].signals.are_away)


def logged(caplog):
    return "".join(str(vars(record)) for record in caplog.records)


def test_an_unknown_certificate_is_refused(make_app, certificate, caplog):
    with redis_server(certificate=certificate) as redis, threaded_server(make_app(REDIS_URL=redis.url)):
        wait_until(lambda: "SSLCertVerificationError" in logged(caplog))


def test_a_wrong_password_is_in_no_log(make_app, caplog):
    with redis_server(password=PASSWORD) as redis:
        wrong = make_app(REDIS_URL=redis.url.replace(PASSWORD, "wrong-password"))
        with threaded_server(wrong):
            wait_until(lambda: "AuthenticationError" in logged(caplog))

    assert "wrong-password" not in logged(caplog)
