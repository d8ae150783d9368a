"""Fixtures: image files, and uploading them."""

from io import BytesIO

import pytest
from PIL import Image
from urllib3.filepost import encode_multipart_formdata

SIZE = (40, 30)
RED, GREEN, BLUE, WHITE = (220, 30, 40), (30, 200, 60), (40, 60, 210), (250, 250, 250)


def encoded(picture, kind, **options):
    """An image as the bytes of a file of this format."""
    file = BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def grey(number):
    """The grey of a frame. Neighbours differ much, because an encoder would merge similar frames."""
    return number * 97 % 256


def animation(kind, *, frames, size=SIZE, **options):
    """An animated file, each frame of another grey."""
    pictures = [Image.new("RGB", size, (grey(number),) * 3) for number in range(frames)]
    options |= {"lossless": True} if kind == "WEBP" else {}
    return encoded(pictures[0], kind, save_all=True, append_images=pictures[1:], duration=70, **options)


@pytest.fixture
def upload(client, player):
    """Uploads a file as the player; returns the response."""

    def send(data, *, name="me.png", declared="image/png", headers=player.headers):
        # Not the test client's own: that makes temporary files.
        body, content_type = encode_multipart_formdata({"avatar": (name, data, declared)})
        return client.post("/profile/avatar", data=body, content_type=content_type, headers=headers)

    return send


@pytest.fixture
def kept(tmp_path):
    """Returns the names of all stored avatar files."""

    def names():
        return sorted(path.name for path in (tmp_path / "instance" / "media" / "avatars").glob("*"))

    return names


@pytest.fixture
def stored(upload, client):
    """Uploads a file that is accepted; returns the avatar that is served."""

    def picture(data, **details):
        answer = upload(data, **details)
        assert answer.status_code == 200, answer.json
        path = answer.json["avatarUrl"].removeprefix("http://127.0.0.1:5000")
        return Image.open(BytesIO(client.get(path, buffered=True).data))

    return picture
