"""GET /profile/user/:id: the public user object."""

from urllib.parse import quote

import pytest

NOBODY = (404, {"status": False, "error": "User not found"})


@pytest.fixture
def look(client):
    """Requests a player by the id as written in the URL."""

    def look(platform_id):
        answer = client.get(f"/profile/user/{platform_id}")
        return answer.status_code, answer.json

    return look


def test_anybody_can_read_a_public_user(look, new_player, clock):
    player = new_player("alice", level=3)

    assert look(player.platform_id) == (
        200,
        {
            "status": True,
            "user": {
                "platformid": player.platform_id,
                "username": "alice",
                "avatar": "http://127.0.0.1:5000/media/neutral/avatar.webp",
                "experience": 900,
                "level": 3,
                "registerDate": clock.now,
            },
        },
    )


def test_an_unknown_id_is_not_found(look, player):
    ids = [
        *("nobody", "alice", "0", "-1", "76561198000000001", str(player.id), player.platform_id + "0"),
        *(player.platform_id[:-1] + "%", "%25", "_" * 17, " ", player.platform_id + " ", "a/b", "/", "a//b/"),
        *("//" + player.platform_id, player.platform_id + "/", "..", "a/../b", "?", "#", "★", "\n", "a\nb"),
        *("'; DROP TABLE users; --", "<script>", "x" * 5000, "\ud7ff\U0010ffff"),
    ]

    answers = {platform_id: look(quote(platform_id, safe="")) for platform_id in ids}

    assert {platform_id: answer for platform_id, answer in answers.items() if answer != NOBODY} == {}
