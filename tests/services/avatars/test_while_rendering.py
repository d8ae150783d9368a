"""Avatars are rendered in a thread, while the server answers other requests."""

import struct
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from PIL import Image

from bench.harness.servers import gunicorn, server_process
from tests.services.avatars.conftest import animation, encoded

pytestmark = pytest.mark.process


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_server_answers_others_while_it_renders(player, env, tmp_path):
    largest = animation("PNG", frames=64, size=(724, 724))
    with server_process(gunicorn("tests.support.worker_pool_app:app"), env, tmp_path) as server:

        def send():
            form = {"avatar": ("me.png", largest)}
            return requests.post(
                f"{server.url}/profile/avatar", files=form, headers=player.headers, timeout=60
            )

        seen = 0
        with ThreadPoolExecutor(1) as pool:
            upload = pool.submit(send)
            while not upload.done():
                assert requests.get(f"{server.url}/healthz", timeout=60).status_code == 200
                seen += requests.get(f"{server.url}/rendering", timeout=60).json()["rendering"]

        assert upload.result().status_code == 200
    assert seen >= 5


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_refused_image_is_not_logged_as_a_failure(player, env, tmp_path):
    with server_process(gunicorn(), env, tmp_path) as server:
        answer = requests.post(
            f"{server.url}/profile/avatar",
            files={"avatar": ("me.png", b"nonsense")},
            headers=player.headers,
            timeout=60,
        )

        assert answer.status_code == 400
        assert server.log.read_text().count("failed") == 0


def png_with_many_warnings():
    """A PNG with 500 metadata entries, each of which causes a warning of Pillow."""
    entries = b"".join(struct.pack("<HHII", tag, 4, 0xFFFF, 0) for tag in range(40_000, 40_500))
    exif = b"II*\0\x08\0\0\0" + struct.pack("<H", 500) + entries
    return encoded(Image.new("RGB", (9, 9)), "PNG", exif=exif)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_pillows_warnings_about_a_file_are_not_logged(player, env, tmp_path):
    with server_process(gunicorn(), env, tmp_path) as server:
        answer = requests.post(
            f"{server.url}/profile/avatar",
            files={"avatar": ("me.png", png_with_many_warnings())},
            headers=player.headers,
            timeout=60,
        )

        assert answer.status_code == 200
        assert server.log.read_text().count("arning") == 0
