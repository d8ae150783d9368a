"""A small public log that is served, and the monitor that reads it."""

import pytest

from tests.support.monitoring import LONG_AFTER
from tests.support.public_battles import PublicBattles
from tests.support.public_log import ORIGIN, PublicLog, serving
from verify import monitor


@pytest.fixture
def log():
    return PublicLog()


@pytest.fixture
def site():
    with serving() as site:
        yield site


@pytest.fixture
def watch(site, tmp_path, capsys):
    """Runs the monitor once on what a log, or several, serve. Gives its exit status and its lines."""

    def watch(*logs, options=(), now=LONG_AFTER, state="state", pause=lambda _: None):
        for log in logs:
            site.files.update(log.files())
        arguments = [site.url, "--state", str(tmp_path / state), "--once", *options]
        status = monitor.main(arguments, now=lambda: now, pause=pause)
        captured = capsys.readouterr()
        return status, (captured.out + captured.err).splitlines()

    watch.site = site
    return watch


@pytest.fixture
def successor(log):
    """A function that restores a part of the log into one with another name, and settles a bet there."""

    def successor(kept, **changed):
        following = PublicLog(f"{ORIGIN}-2")
        following.entries = log.entries[:kept]
        following.bets = {index: bet for index, bet in log.bets.items() if index < kept}
        following.bets = {
            index: bet | {"log": {"origin": following.origin, "index": index}}
            for index, bet in following.bets.items()
        }
        signed = {"forkOf": ORIGIN, "kept": kept, "root": log.root, "size": len(log.entries)}
        following.append(**signed | changed)
        following.spin(following.new_player("carol"))
        return following

    return successor


@pytest.fixture
def battles(log):
    return PublicBattles(log)
