"""Two production processes on one PostgreSQL and one Redis, which the tests of this directory share."""

import itertools
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from flask import Flask

from server.cluster.signals import CHANNEL
from tests.harness.players import create_player
from tests.harness.redis import RedisServer
from tests.harness.waiting import wait_until
from tests.support.apps import app_on, production_processes


@dataclass(frozen=True)
class Processes:
    """Their addresses, their Redis, and an app on their database that serves nobody: it runs the commands."""

    urls: list[str]
    redis: RedisServer
    app: Flask

    def run(self, *arguments: str) -> None:
        """Run an operator's command."""
        result = self.app.test_cli_runner().invoke(args=list(arguments))
        assert result.exit_code == 0, result.output

    def hear_each_other(self) -> bool:
        return dict(self.redis.client().pubsub_numsub(CHANNEL))[CHANNEL.encode()] == len(self.urls)

    @contextmanager
    def losing_signals(self):
        """Cut the connections on which they hear each other. They connect again about a second later."""
        self.redis.client().client_kill_filter(_type="pubsub")
        yield
        wait_until(self.hear_each_other)


@pytest.fixture(scope="package")
def serving(postgres, redis, warm_start, tmp_path_factory):
    """The settings and the addresses of two processes, which compare with the database every 50 ms."""
    directory = tmp_path_factory.mktemp("processes")
    target = "tests.support.changed_apps:quick_rounds()"
    with production_processes(postgres, directory, warm_start, target=target, REDIS_URL=redis.url) as (
        app,
        started,
    ):
        yield app.extensions["services"].settings, started.urls


@pytest.fixture(scope="module")
def processes(serving, redis):
    settings, urls = serving
    # An app of its own: the tests of another file may have opened another database.
    with app_on(settings) as app:
        processes = Processes(urls, redis, app)
        wait_until(processes.hear_each_other)
        yield processes


@pytest.fixture(scope="package")
def names():
    return (f"player{number}" for number in itertools.count())


@pytest.fixture
def player(processes, names):
    """A player with 100 coins."""
    return create_player(processes.app, next(names))


@pytest.fixture
def connect(processes, open_socket):
    """Opens a socket at the first or the second process, and reads what it is sent on connecting."""

    def connect(process, player=None):
        socket = open_socket(processes.urls[process], player)
        if player is not None:
            socket.expect("balance")  # The live bet of an earlier test may come before.
        socket.expect("live-bets")
        return socket

    return connect
