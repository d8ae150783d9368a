"""POST /profile/avatar: refused files, of which nothing is stored."""

import http.client
import struct
import subprocess
import sys
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from PIL import Image

from services.accounts import avatars
from tests.services.accounts.avatars.conftest import animation, encoded

TYPE = "The file must be a JPEG, PNG, WEBP or GIF image"
DAMAGED = "The image is damaged"
TOO_MANY_PIXELS = "The image must be at most 4096 x 4096 pixels"
TOO_MANY_FRAMES = "The image must have at most 300 frames"
ANIMATION = "The animation must have at most 33554432 pixels in all its frames together"
ONE_FILE = "Send one file in the form field avatar"
KINDS = ("JPEG", "PNG", "WEBP", "GIF")
LIMIT = 3 * 1024 * 1024

PICTURE = Image.linear_gradient("L").convert("RGB").resize((60, 50))
FILES = {kind: encoded(PICTURE, kind) for kind in KINDS} | {
    "progressive JPEG": encoded(PICTURE, "JPEG", progressive=True),
    "lossless WEBP": encoded(PICTURE, "WEBP", lossless=True),
    "animated GIF": animation("GIF", frames=4),
    "animated PNG": animation("PNG", frames=4),
    "animated WEBP": animation("WEBP", frames=4),
}


def archive():
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        written.writestr("page.html", "<script>alert(1)</script>")
    return file.getvalue()


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width, height, *chunks):
    """A PNG with this size in its header, and these chunks."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IEND", b"")


def png_bomb(side):
    packed = zlib.compressobj(9)
    row = bytes(1 + side * 3)
    pixels = b"".join(packed.compress(row) for _ in range(16)) + packed.flush()
    return png(side, side, chunk(b"IDAT", pixels))


def png_of_profiles():
    """Two megabytes that unpack to two gigabytes."""
    profile = chunk(b"iCCP", b"k\0\0" + zlib.compress(bytes(10**6), 9))
    pixels = chunk(b"IDAT", zlib.compress(bytes(4)))
    return png(1, 1, profile * ((2_097_152 - 200) // len(profile)), pixels)


def webp_with_a_large_canvas():
    """Two frames of 16 pixels on a canvas of 4096, which need the most memory of all accepted files."""
    whole = animation("WEBP", frames=2, size=(16, 16))
    side = struct.pack("<I", 4095)[:3]
    return whole[:24] + side + side + whole[30:]


def gif(width, height, *, frame=(0, 0, 1, 1), frames=1):
    """A GIF with this size in its header, and small frames that claim this place and size."""
    screen = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    image = b"\x2c" + struct.pack("<HHHHB", *frame, 0) + b"\x02\x02\x44\x01\x00"
    return screen + image * frames + b"\x3b"


def with_size(jpeg, width, height):
    """A JPEG that claims another size."""
    at = jpeg.index(b"\xff\xc0") + 5
    return jpeg[:at] + struct.pack(">HH", height, width) + jpeg[at + 4 :]


def form_of(data, *, file='; filename="a.png"'):
    """A form with the boundary x."""
    head = f'--x\r\nContent-Disposition: form-data; name="avatar"{file}\r\n\r\n'
    return head.encode() + data + b"\r\n--x--\r\n"


@pytest.fixture
def wrong_answers(upload):
    """Uploads files that must be refused with one of these texts; returns the answers that are wrong."""

    def found(files, *texts):
        answers = {name: upload(data) for name, data in files.items()}
        return {
            name: (answer.status_code, answer.json)
            for name, answer in answers.items()
            if answer.status_code != 400 or answer.json["error"] not in texts
        }

    return found


@pytest.fixture(autouse=True)
def _nothing_stays(kept, client, player):
    yield
    assert kept() == []
    assert client.get("/auth/me", headers=player.headers).json["avatar"].endswith("/neutral/avatar.webp")


@pytest.mark.security("Avatars")
def test_a_file_of_another_type_is_refused_whatever_its_name(wrong_answers):
    files = {
        "a drawing": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        "a page": b"<!doctype html><script>alert(1)</script>",
        "an archive": archive(),
        "a document": b"%PDF-1.7",
        "one byte": b"\xff",
        "zeros": bytes(1000),
        "a page before an image": b"<html>" + FILES["PNG"],
        "a blank before an image": b" " + FILES["JPEG"],
        "the beginning of a PNG": FILES["PNG"][:7],
        "a RIFF of another kind": b"RIFF" + struct.pack("<I", 4) + b"WAVE",
    }
    for kind in ("BMP", "TIFF", "ICO", "JPEG2000", "PPM", "TGA", "AVIF"):
        files[kind] = encoded(PICTURE, kind)

    assert wrong_answers(files, TYPE) == {}


def test_an_empty_or_too_large_file_is_refused(wrong_answers):
    files = {"an image": FILES["PNG"].ljust(2_097_153, b"\0"), "nonsense": bytes(2_097_153)}

    assert wrong_answers({"empty": b""}, "The file is empty") == {}
    assert wrong_answers(files, "The file must be at most 2097152 bytes") == {}


def test_an_image_without_all_of_its_pixels_is_refused(wrong_answers):
    # A PNG without its checksums and end marker, or a GIF without its end marker, still has every pixel.
    ends = {name: len(data) - 24 for name, data in FILES.items()}
    files = {
        (name, size): data[:size]
        for name, data in FILES.items()
        for size in (12, ends[name] * 2 // 3, ends[name])
    }

    assert wrong_answers(files, DAMAGED, TYPE) == {}


@pytest.mark.security("Avatars")
def test_an_image_with_a_side_over_4096_pixels_is_refused(wrong_answers):
    files = {
        "a bomb": png_bomb(30_000),
        "the largest PNG": png(2**32 - 1, 2**32 - 1, chunk(b"IDAT", b"")),
        "a wide PNG": encoded(Image.new("L", (4097, 1)), "PNG"),
        "a high PNG": encoded(Image.new("L", (1, 4097)), "PNG"),
        "JPEG": with_size(FILES["JPEG"], 4097, 4096),
        "the largest JPEG": with_size(FILES["JPEG"], 65_535, 65_535),
        "WEBP": encoded(Image.new("L", (4097, 2)), "WEBP"),
        "lossless WEBP": encoded(Image.new("L", (2, 4097)), "WEBP", lossless=True),
        "GIF": gif(4097, 1),
        "a GIF with a frame outside": gif(1, 1, frame=(4096, 0, 1, 1)),
        "a GIF with a large frame": gif(1, 1, frame=(0, 0, 65_535, 65_535)),
    }

    assert wrong_answers(files, TOO_MANY_PIXELS) == {}


@pytest.mark.security("Avatars")
def test_more_than_300_frames_are_refused(wrong_answers):
    files = {kind: animation(kind, frames=301) for kind in ("GIF", "WEBP", "PNG")}
    files["an APNG with a default image"] = animation("PNG", frames=302, default_image=True)
    promised = chunk(b"acTL", struct.pack(">II", 2**31 - 1, 0))
    files["a PNG that promises many"] = png(1, 1, promised, chunk(b"IDAT", zlib.compress(bytes(4))))

    assert wrong_answers(files, TOO_MANY_FRAMES) == {}


@pytest.mark.security("Avatars")
def test_an_animation_with_too_many_pixels_is_refused(wrong_answers):
    webp = FILES["animated WEBP"]
    side = struct.pack("<I", 4095)[:3]
    files = {
        "GIF": gif(4096, 4096, frames=3),
        "PNG": png(4096, 4096, chunk(b"acTL", struct.pack(">II", 3, 0)), chunk(b"IDAT", b"")),
        "WEBP": webp[:24] + side + side + webp[30:],
    }

    assert wrong_answers(files, ANIMATION) == {}


def test_an_image_that_cannot_be_decoded_is_damaged(wrong_answers):
    whole = FILES["PNG"]
    missing_frame = chunk(b"acTL", struct.pack(">II", 5, 0)) + chunk(b"IDAT", zlib.compress(bytes(4)))
    files = {
        "JPEG without pixels": FILES["JPEG"][: FILES["JPEG"].index(b"\xff\xda")] + b"\xff\xd9",
        "PNG without pixels": png(9, 9),
        "PNG with bad pixels": png(9, 9, chunk(b"IDAT", b"not deflated at all")),
        "PNG with a false checksum": whole[:-20] + bytes([whole[-20] ^ 1]) + whole[-19:],
        "PNG promising a frame that is not there": png(1, 1, missing_frame),
        "WEBP that says it is longer": FILES["WEBP"][:4] + struct.pack("<I", 9_999) + FILES["WEBP"][8:],
    }

    assert wrong_answers(files, DAMAGED) == {}


@pytest.mark.security("Avatars")
def test_an_image_that_takes_too_long_to_decode_is_refused(wrong_answers, monkeypatch):
    monkeypatch.setattr(avatars, "_MAX_DECODE_SECONDS", 0.1)

    assert wrong_answers({"2 GB of profiles": png_of_profiles()}, DAMAGED) == {}


@pytest.mark.security("Avatars")
@pytest.mark.process
@pytest.mark.thorough
def test_no_image_needs_more_than_400_megabytes():
    command = [sys.executable, "-m", "tests.support.rendering"]
    image = webp_with_a_large_canvas()
    measured = subprocess.run(command, input=image, check=True, capture_output=True, timeout=60)

    assert int(measured.stdout) <= 400


def test_a_body_that_is_not_a_form_is_refused(client, player):
    bodies = [
        {"data": FILES["PNG"], "content_type": "image/png"},
        {"json": {"avatar": "me.png"}},
        {"data": {"avatar": "me.png"}, "content_type": "application/x-www-form-urlencoded"},
        {},
    ]

    answers = [client.post("/profile/avatar", headers=player.headers, **body) for body in bodies]

    assert [answer.json for answer in answers] == [{"error": "The body must be multipart/form-data"}] * 4
    assert {answer.status_code for answer in answers} == {400}


def test_a_form_without_one_file_in_the_field_is_refused(client, player):
    def file():
        return BytesIO(FILES["PNG"]), "me.png"

    form = "multipart/form-data"
    bodies = [
        {"data": {"picture": file()}, "content_type": form},
        {"data": {"avatar": "a text"}, "content_type": form},
        {"data": form_of(b"a long text" * 1_000, file=""), "content_type": f"{form}; boundary=x"},
        {"data": {"avatar": [file(), file()]}, "content_type": form},
        {"data": {"avatar": (BytesIO(b""), "")}, "content_type": form},
        {"data": b"", "content_type": form},
        {"data": b"nonsense", "content_type": f"{form}; boundary=x"},
    ]

    answers = [client.post("/profile/avatar", headers=player.headers, **body) for body in bodies]

    assert [(answer.status_code, answer.json) for answer in answers] == [(400, {"error": ONE_FILE})] * len(
        bodies
    )


HEAD = b'--x\r\nContent-Disposition: form-data; name="avatar"; filename="a.png"\r\n'


@pytest.mark.security("Avatars")
def test_a_form_with_oversized_headers_is_refused(client, player):
    long = b"X: y\r\n" * 100_000
    bodies = {
        "a preamble": long + form_of(FILES["PNG"]),
        "nothing but a preamble": long,
        "a delimiter over the end of what may precede it": b"--x\r\n\n".rjust(4_098) + long,
        "a long head": HEAD + long + b"\r\n" + FILES["PNG"] + b"\r\n--x--\r\n",
        "a head without an end": HEAD + long,
        "a head that is cut off": HEAD,
        "no head": b"--x\r\n\r\n" + long,
        "a second head": form_of(FILES["PNG"]).replace(b"--x--", HEAD + long),
        "a head behind a line break alone": HEAD + b"\r\n\r--x\r" + long,
        "a head behind the end of a head": HEAD + b"X: y\n--x--\r\n\r\n\r\n--x\r\n" + long,
        "delimiters in a row": b"--x\r\n" * 100_000,
    }

    answers = {
        name: client.post(
            "/profile/avatar",
            data=body,
            headers=player.headers | {"Content-Type": "multipart/form-data; boundary=x"},
        ).status_code
        for name, body in bodies.items()
    }

    assert {name for name, status in answers.items() if status not in (400, 413)} == set()


def test_a_form_larger_than_3_mib_is_refused(client, player, server):
    def status(size, *, chunked):
        body = form_of(bytes(size - len(form_of(b""))))
        connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=20)
        headers = player.headers | {"Content-Type": "multipart/form-data; boundary=x"}
        pieces = (body[at : at + 65_536] for at in range(0, size, 65_536))
        connection.request(
            "POST", "/profile/avatar", pieces if chunked else body, headers=headers, encode_chunked=chunked
        )
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    assert [status(LIMIT, chunked=chunked) for chunked in (False, True)] == [400, 400]
    assert [status(LIMIT + 1, chunked=chunked) for chunked in (False, True)] == [413, 413]


@pytest.mark.security("Avatars")
def test_a_path_outside_the_avatar_directory_is_not_found(client, tmp_path):
    secret = tmp_path / "instance" / "media" / "secret.webp"
    secret.parent.mkdir(parents=True, exist_ok=True)
    secret.write_bytes(b"secret")
    names = [
        "..%2Fsecret.webp",
        "%2e%2e%2fsecret.webp",
        "../secret.webp",
        "a.webp",
        "0" * 32,
        f"{'0' * 32}.webp",
    ]

    answers = [client.get(f"/media/avatars/{name}") for name in names]

    assert {answer.status_code for answer in answers} == {404}
    assert Path(secret).exists()
