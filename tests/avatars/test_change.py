"""POST /profile/avatar: which file is kept, whatever happens at once or goes wrong."""

from concurrent.futures import ThreadPoolExecutor

import peewee
import pytest
import requests
from PIL import Image

from models.database import database, reading, writing
from models.users import User
from services.avatars import change
from tests.avatars.conftest import GREEN, RED, encoded

PNG = encoded(Image.new("RGB", (9, 9), RED), "PNG")


@pytest.fixture
def current(player):
    """What the database keeps as the player's avatar."""

    def path():
        with reading():
            return User.get_by_id(player.id).avatar

    return path


def test_an_upload_answers_with_the_address_under_which_the_player_is_seen(
    upload, client, player, current, kept
):
    answer = upload(PNG)

    url = answer.json["avatarUrl"]
    assert answer.json == {"success": True, "avatarUrl": url}
    assert client.get("/auth/me", headers=player.headers).json["avatar"] == url
    (name,) = kept()
    assert url == f"http://127.0.0.1:5000/media/avatars/{name}"
    assert current() == f"/media/avatars/{name}"


def test_the_one_it_replaces_is_removed(upload, client, kept):
    first, second = (upload(PNG).json["avatarUrl"] for _ in range(2))

    assert first != second
    assert kept() == [second.rpartition("/")[2]]
    assert client.get(first.removeprefix("http://127.0.0.1:5000")).status_code == 404


def test_a_refused_file_leaves_the_old_one_in_place(upload, kept):
    before = upload(PNG).json["avatarUrl"]

    assert upload(b"nonsense").status_code == 400

    assert kept() == [before.rpartition("/")[2]]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_avatar_from_elsewhere_is_replaced_and_no_file_touched(upload, player, current, tmp_path):
    outside = tmp_path / "instance" / "media" / "outside.webp"
    outside.parent.mkdir(parents=True)
    outside.write_bytes(b"not an avatar")
    for elsewhere in ("https://avatars.example.com/a.jpg", "/media/avatars/../outside.webp", str(outside)):
        with writing():
            User.update(avatar=elsewhere).where(User.id == player.id).execute()

        assert upload(PNG).status_code == 200

        assert current().startswith("/media/avatars/")
        assert outside.exists()


def test_of_many_uploads_at_once_one_file_stays(server, player, current, kept):
    files = [encoded(Image.new("RGB", (9, 9), (number, *GREEN[:2])), "PNG") for number in range(12)]

    def send(data):
        form = {"avatar": ("me.png", data)}
        return requests.post(f"{server}/profile/avatar", files=form, headers=player.headers, timeout=60)

    with ThreadPoolExecutor(len(files)) as pool:
        answers = list(pool.map(send, files))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["avatarUrl"] for answer in answers}) == len(files)
    assert [f"/media/avatars/{name}" for name in kept()] == [current()]


def test_a_change_in_between_is_replaced_as_well(upload, player, current, kept, monkeypatch):
    """Another process is quicker between the look at the old avatar and the update."""
    upload(PNG)
    select, rival = User.select, "https://avatars.example.com/rival.jpg"

    def select_and_lose(*columns):
        found = select(*columns).where(User.id == player.id).get()
        monkeypatch.undo()
        User.update(avatar=rival).where(User.id == player.id).execute()
        return _Found(found)

    monkeypatch.setattr(User, "select", select_and_lose)
    path = change._point_at("/media/avatars/new.webp", user_id=player.id)

    assert (path, current()) == (rival, "/media/avatars/new.webp")


class _Found:
    """A query that has been answered already."""

    def __init__(self, row):
        self.row = row

    def where(self, *_):
        return self

    def get_or_none(self):
        return self.row


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_change_that_fails_keeps_no_file(upload, current, kept, monkeypatch):
    before = upload(PNG).json["avatarUrl"]

    def refuse(*_args, **_kwargs):
        raise peewee.OperationalError("no")

    monkeypatch.setattr(User, "update", refuse)
    answer = upload(PNG)

    assert answer.status_code == 503
    assert [f"/media/avatars/{name}" for name in kept()] == [current()]
    assert before.endswith(current())


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_commit_whose_answer_is_lost_keeps_the_file_it_names(upload, current, kept, monkeypatch):
    commit = database.obj.commit

    def commit_and_fail(*args):
        commit(*args)
        raise peewee.OperationalError("the connection is lost")

    monkeypatch.setattr(database.obj, "commit", commit_and_fail)
    answer = upload(PNG)

    assert answer.status_code == 503
    assert [f"/media/avatars/{name}" for name in kept()] == [current()]
