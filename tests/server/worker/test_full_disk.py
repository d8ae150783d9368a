"""A full disk: what cannot be stored is refused, and nothing is stored in part."""

import pytest
import requests
from PIL import Image

from bench.harness.faults.routes import UNAVAILABLE, Outcome
from bench.harness.faults.storm import FaultStorm
from bench.harness.servers import gunicorn
from tests.services.avatars.conftest import RED, encoded
from tests.support.full_disk import no_room_for

pytestmark = pytest.mark.process

PNG = encoded(Image.new("RGB", (9, 9), RED), "PNG")


@pytest.fixture
def production(app, env, warm_start, tmp_path):
    with warm_start.server_process(gunicorn(), env, tmp_path) as server:
        yield server


@pytest.mark.thorough
@pytest.mark.guarantee("Faults around the server")
@pytest.mark.security("Faults around the server")
def test_a_full_disk_loses_nothing_and_the_server_recovers(app, production):
    storm = FaultStorm(app, production.url)
    storm.begin()

    result = storm.run("full disk", no_room_for(production.process.pid), seconds=3)
    problems = storm.end()

    assert result.wrong + problems == []
    assert result.refused["upgrader:spin"] > 3
    assert result.outcomes[Outcome.SUCCESS] > 10


@pytest.mark.thorough
def test_an_avatar_that_does_not_fit_keeps_the_old_one(production, player, tmp_path):
    def upload():
        files = {"avatar": ("me.png", PNG)}
        return requests.post(
            f"{production.url}/profile/avatar", files=files, headers=player.headers, timeout=20
        )

    def kept():
        return sorted(path.name for path in (tmp_path / "instance/media/avatars").iterdir())

    url = upload().json()["avatarUrl"]
    with no_room_for(production.process.pid):
        refused = upload()
    after = requests.get(f"{production.url}/auth/me", headers=player.headers, timeout=20).json()["avatar"]

    assert (refused.status_code, refused.json()) == (503, {"error": UNAVAILABLE})
    assert int(refused.headers["Retry-After"]) >= 1
    assert (after, kept()) == (url, [url.rpartition("/")[2]])
    assert upload().status_code == 200
    assert len(kept()) == 1
