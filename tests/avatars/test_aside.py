"""Images are worked on aside: nobody else waits, and only so many are taken at once."""

import struct
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from PIL import Image

from services.aside import Aside, TooBusy
from tests.avatars.conftest import animation, encoded
from tests.support.servers import gunicorn, server_process
from tests.support.waiting import wait_until

DEAR = animation("PNG", frames=64, size=(724, 724))
"""As many pixels as are taken, in as many frames."""


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_while_an_image_is_worked_on_the_server_answers_others(player, env, tmp_path):
    with server_process(gunicorn("tests.support.aside_app:app"), env, tmp_path) as server:

        def send():
            form = {"avatar": ("me.png", DEAR)}
            return requests.post(
                f"{server.url}/profile/avatar", files=form, headers=player.headers, timeout=60
            )

        seen = 0
        with ThreadPoolExecutor(1) as pool:
            upload = pool.submit(send)
            while not upload.done():
                assert requests.get(f"{server.url}/healthz", timeout=60).status_code == 200
                seen += requests.get(f"{server.url}/under-way", timeout=60).json()["underWay"]

        assert upload.result().status_code == 200
    assert seen >= 5


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_image_that_is_refused_aside_is_no_failure_of_the_server(player, env, tmp_path):
    with server_process(gunicorn(), env, tmp_path) as server:
        answer = requests.post(
            f"{server.url}/profile/avatar",
            files={"avatar": ("me.png", b"nonsense")},
            headers=player.headers,
            timeout=60,
        )

        assert answer.status_code == 400
        assert server.log.read_text().count("failed") == 0


def chatty():
    """A PNG whose metadata the library warns of, once for each of its 500 entries."""
    entries = b"".join(struct.pack("<HHII", tag, 4, 0xFFFF, 0) for tag in range(40_000, 40_500))
    exif = b"II*\0\x08\0\0\0" + struct.pack("<H", 500) + entries
    return encoded(Image.new("RGB", (9, 9)), "PNG", exif=exif)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_the_library_warns_of_in_a_file_is_not_logged(player, env, tmp_path):
    with server_process(gunicorn(), env, tmp_path) as server:
        answer = requests.post(
            f"{server.url}/profile/avatar",
            files={"avatar": ("me.png", chatty())},
            headers=player.headers,
            timeout=60,
        )

        assert answer.status_code == 200
        assert server.log.read_text().count("arning") == 0


@pytest.fixture
def begun():
    return threading.Event()


@pytest.fixture
def go_on():
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def occupied(begun, go_on):
    """Room for one piece of work and one that waits; a piece of work is in it."""
    aside = Aside(waiting=1, wait_seconds=60)

    def work():
        begun.set()
        return go_on.wait(60)

    with ThreadPoolExecutor(2) as pool:
        aside.pool = pool
        aside.first = pool.submit(aside.run, work)
        begun.wait(60)
        yield aside
        go_on.set()


def test_what_waits_is_done_in_its_turn(occupied, go_on):
    second = occupied.pool.submit(occupied.run, str.upper, "done")
    assert not second.done()

    go_on.set()

    assert (occupied.first.result(60), second.result(60)) == (True, "DONE")
    assert len(occupied) == 0


def test_more_than_there_is_room_for_is_refused_at_once(occupied):
    occupied.pool.submit(occupied.run, str.upper, "waits")
    wait_until(lambda: occupied._asked == 2)

    with pytest.raises(TooBusy):
        occupied.run(str.upper, "too much")


def test_what_waits_for_too_long_is_refused(begun, go_on):
    aside = Aside(wait_seconds=0.01)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(aside.run, lambda: begun.set() or go_on.wait(60))
        begun.wait(60)

        with pytest.raises(TooBusy):
            aside.run(str.upper, "too late")
        go_on.set()

    assert aside.run(str.upper, "in time") == "IN TIME"


def test_work_that_fails_raises_and_makes_room():
    aside = Aside(waiting=0)

    with pytest.raises(ZeroDivisionError):
        aside.run(lambda: 1 / 0)

    assert aside.run(str.upper, "next") == "NEXT"


def test_a_timeout_of_the_work_itself_is_not_taken_for_a_full_house():
    def work():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        Aside().run(work)
