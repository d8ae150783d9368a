"""A Redis that refuses what the platform needs is named by /readyz, by the gauge and by flask check."""

from contextlib import contextmanager

import pytest
from redis import Redis

from server.cluster.redis_client import NO_ANSWER, REASONS
from tests.harness.redis import redis_server
from tests.support.markers import postgresql_only

pytestmark = [pytest.mark.redis, postgresql_only]

PASSWORD, REPLICA, FULL, REFUSED = REASONS.values()


@pytest.fixture(scope="module")
def redis():
    """A server of these tests alone, whose settings they may change."""
    with redis_server() as server:
        yield server


@pytest.fixture
def setting(redis):
    """Changes a setting of the server for the block."""

    @contextmanager
    def changed(*commands):
        with Redis.from_url(redis.url) as admin:
            for command in commands:
                admin.execute_command(*command.split())
            try:
                yield
            finally:
                admin.config_set("maxmemory", 0)
                admin.execute_command("REPLICAOF", "NO", "ONE")

    return changed


@pytest.fixture
def states(make_app):
    """What a process with this address of Redis says: flask check, then /readyz and the gauge."""

    def say(url):
        app = make_app(REDIS_URL=url)
        checked = app.test_cli_runner().invoke(args=["check"])
        app.extensions["services"].signals._check()
        ready = app.test_client().get("/readyz").json
        gauge = "\nredis_away 1.0\n" in app.test_client().get("/metrics").text
        return (
            checked.exit_code,
            checked.stderr.splitlines(),
            ready["redis"],
            ready.get("redisProblem"),
            gauge,
        )

    return say


def refused(reason):
    return 1, [f"REDIS_URL: {reason}"], "away", reason, True


def test_each_refusal_of_redis_is_named_with_its_remedy(states, setting, redis):
    user = "ACL SETUSER platform on >platform-password resetkeys resetchannels ~platform:* &platform:* +@all"
    url = redis.url.replace("//", "//platform:platform-password@")
    found = {}
    for name, commands in {
        "no TIME": [f"{user} -time"],
        "no scripts": [f"{user} -@scripting"],
        "no channel": [user.replace("&platform:*", "")],
        "no writes": [f"{user} -@write"],
        "full": [user, "CONFIG SET maxmemory 1"],
        "replica": [user, f"REPLICAOF 127.0.0.1 {redis.port}"],
    }.items():
        with setting(*commands):
            found[name] = states(url)
    found["password"] = states(url.replace("platform-password", "another"))

    assert found == dict.fromkeys(("no TIME", "no scripts", "no channel", "no writes"), refused(REFUSED)) | {
        "full": refused(FULL),
        "replica": refused(REPLICA),
        "password": refused(PASSWORD),
    }


def test_redis_that_does_not_answer_is_a_warning(states, redis):
    with redis.away():
        assert states(redis.url) == (0, [f"warning: REDIS_URL: {NO_ANSWER}"], "away", NO_ANSWER, True)


def test_a_user_with_what_the_documents_name_is_enough(states, setting, redis):
    rules = (
        "ACL SETUSER platform on >platform-password resetkeys resetchannels ~platform:* &platform:signals"
        " -@all +@connection +publish +subscribe +unsubscribe +eval +time +lindex +rpush +ltrim +pexpire"
    )
    with setting(rules):
        code, lines, *_ = states(redis.url.replace("//", "//platform:platform-password@"))

    assert (code, lines) == (0, [])
