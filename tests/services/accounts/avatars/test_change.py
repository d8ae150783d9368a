"""POST /profile/avatar: which file is stored, also with concurrent uploads and failures."""

import http.client
from contextlib import closing
from functools import partial
from urllib.parse import urlsplit

import peewee
import pytest
import requests
from PIL import Image
from urllib3.filepost import encode_multipart_formdata

from models.db.connection import database, reading, writing
from models.users import User
from tests.harness.waiting import wait_until
from tests.services.accounts.avatars.conftest import GREEN, RED, encoded
from tests.support.at_once import all_at_once

PNG = encoded(Image.new("RGB", (9, 9), RED), "PNG")

FORM, CONTENT_TYPE = encode_multipart_formdata({"avatar": ("me.png", PNG)})
FORM_HEADERS = {"Content-Type": CONTENT_TYPE, "Content-Length": str(len(FORM))}


@pytest.fixture
def current(player):
    """Returns the player's avatar in the database."""

    def path():
        with reading():
            return User.get_by_id(player.id).avatar

    return path


def test_an_upload_answers_its_url_and_deletes_the_old_avatar(upload, client, player, current, kept):
    first, answer = upload(PNG).json["avatarUrl"], upload(PNG)
    refused = upload(b"nonsense")

    url = answer.json["avatarUrl"]
    assert answer.json == {"success": True, "avatarUrl": url}
    assert client.get("/auth/me", headers=player.headers).json["avatar"] == url != first
    (name,) = kept()
    assert url == f"http://127.0.0.1:5000/media/avatars/{name}"
    assert current() == f"/media/avatars/{name}"
    assert client.get(first.removeprefix("http://127.0.0.1:5000")).status_code == 404
    assert refused.status_code == 400


def test_every_standard_form_of_multipart_is_accepted(client, player):
    head = b'--x\r\nContent-Disposition: form-data; name="avatar"; filename="me.png"\r\n'
    other = b'--x\r\nContent-Disposition: form-data; name="other"\r\n\r\n\r\n'
    content = b"\r\n" + PNG + b"\r\n--x--\r\n"
    forms = [
        head + content,
        b"for old programs\r\n" + head + content,
        head.replace(b"--x\r\n", b"--x \t\r\n") + content,
        head + content + b"X: y\r\n" * 1000,
        other + head + content,
        head + b"X-More: ".ljust(3_900, b"y") + b"\r\n" + content,
        head + b"\r\n" + PNG + b"\r\n" + other + b"\r\n--x--",
    ]
    headers = player.headers | {"Content-Type": "multipart/form-data; boundary=x"}

    statuses = [client.post("/profile/avatar", data=form, headers=headers).status_code for form in forms]

    assert statuses == [200] * len(forms)


def test_replacing_an_avatar_at_another_address_deletes_no_file(upload, player, current, tmp_path):
    outside = tmp_path / "instance" / "media" / "outside.webp"
    outside.parent.mkdir(parents=True)
    outside.write_bytes(b"not an avatar")
    for elsewhere in ("https://avatars.example.com/a.jpg", "/media/avatars/../outside.webp", str(outside)):
        with writing():
            User.update(avatar=elsewhere).where(User.id == player.id).execute()

        assert upload(PNG).status_code == 200

        assert current().startswith("/media/avatars/")
        assert outside.exists()


@pytest.fixture
def send(server):
    """Uploads a file to the real server."""

    def post(data, headers):
        form = {"avatar": ("me.png", data)}
        return requests.post(f"{server}/profile/avatar", files=form, headers=headers, timeout=60)

    return post


@pytest.mark.both_databases("a race")
def test_many_uploads_at_once_leave_one_file(send, player, current, kept):
    files = [encoded(Image.new("RGB", (9, 9), (number, *GREEN[:2])), "PNG") for number in range(12)]

    answers = all_at_once([partial(send, data, player.headers) for data in files])

    taken = [answer for answer in answers if answer.status_code == 200]
    assert {answer.status_code for answer in answers} <= {200, 429}
    assert len({answer.json()["avatarUrl"] for answer in taken}) == len(taken) >= 1
    assert [f"/media/avatars/{name}" for name in kept()] == [current()]


@pytest.fixture
def slow(server):
    """A connection for sending a request in pieces."""
    with closing(http.client.HTTPConnection(urlsplit(server).netloc, timeout=20)) as connection:
        yield connection


@pytest.mark.security("Avatars")
def test_a_players_second_upload_at_once_is_refused(app, send, slow, player, new_player):
    bob = new_player("bob").headers
    slow.request("POST", "/profile/avatar", FORM[:50], headers=player.headers | FORM_HEADERS)
    wait_until(lambda: player.id in app.extensions["services"].avatars.uploads)

    refused = send(PNG, player.headers)
    others = send(PNG, bob).status_code
    slow.send(FORM[50:])
    first = slow.getresponse().status

    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
    assert refused.json() == {"error": "Too many requests"}
    assert (others, first, send(PNG, player.headers).status_code) == (200, 200, 200)


def test_a_change_that_fails_keeps_the_old_file(upload, current, kept, monkeypatch):
    before = upload(PNG).json["avatarUrl"]

    def refuse(*_args, **_kwargs):
        raise peewee.OperationalError("no")

    monkeypatch.setattr(User, "update", refuse)
    answer = upload(PNG)

    assert answer.status_code == 503
    assert before.endswith(current())
    assert current().removeprefix("/media/avatars/") in kept()


def test_a_commit_whose_answer_is_lost_keeps_the_new_file(upload, current, kept, monkeypatch):
    commit = database.obj.commit

    def commit_and_fail(*args):
        commit(*args)
        # Not yet at the beginning of the upload.
        if kept():
            raise peewee.OperationalError("the connection is lost")

    monkeypatch.setattr(database.obj, "commit", commit_and_fail)
    answer = upload(PNG)

    assert answer.status_code == 503
    assert current().removeprefix("/media/avatars/") in kept()
