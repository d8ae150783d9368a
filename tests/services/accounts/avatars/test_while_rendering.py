"""Avatars are rendered in a thread of the production server, which logs nothing about the files."""

import struct
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from PIL import Image

from tests.harness.servers import gunicorn, server_process
from tests.services.accounts.avatars.conftest import animation, encoded

pytestmark = [pytest.mark.process, pytest.mark.thorough]


@pytest.fixture
def server(env, tmp_path):
    """A server process with a view that says whether an avatar is being rendered."""
    with server_process(gunicorn("tests.support.changed_apps:rendering()"), env, tmp_path) as server:
        yield server


@pytest.fixture
def send(server, player):
    """Uploads a file to the server process; the status."""

    def post(data):
        form, url = {"avatar": ("me.png", data)}, f"{server.url}/profile/avatar"
        return requests.post(url, files=form, headers=player.headers, timeout=60).status_code

    return post


def png_with_many_warnings():
    """A PNG with 500 metadata entries, each of which causes a warning of Pillow."""
    entries = b"".join(struct.pack("<HHII", tag, 4, 0xFFFF, 0) for tag in range(40_000, 40_500))
    exif = b"II*\0\x08\0\0\0" + struct.pack("<H", 500) + entries
    return encoded(Image.new("RGB", (9, 9)), "PNG", exif=exif)


@pytest.mark.security("Avatars")
def test_the_server_answers_others_while_it_renders(server, send):
    largest, seen = animation("PNG", frames=32, size=(724, 724), compress_level=1), 0

    with ThreadPoolExecutor(1) as pool:
        upload = pool.submit(send, largest)
        while not upload.done():
            assert requests.get(f"{server.url}/healthz", timeout=60).status_code == 200
            seen += requests.get(f"{server.url}/rendering", timeout=60).json()["rendering"]

    assert upload.result() == 200
    assert seen >= 3
    # Neither a refused file nor Pillow's warnings about an accepted one are logged.
    assert (send(b"nonsense"), send(png_with_many_warnings())) == (400, 200)
    log = server.log.read_text()
    assert [word for word in ("failed", "arning") if word in log] == []
