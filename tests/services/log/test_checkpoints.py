"""Checkpoints, against the example of https://c2sp.org/tlog-checkpoint."""

import base64

import pytest

from services.log.checkpoints import Checkpoint
from services.log.merkle import EMPTY_ROOT
from services.log.notes import BadNote

EXAMPLE = """\
example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
"""
ROOT = base64.b64decode("CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=")


def test_the_example_of_the_specification_is_read_and_written():
    example = Checkpoint("example.com/behind-the-sofa", 20852163, ROOT)

    assert Checkpoint.parse(EXAMPLE) == example
    assert example.text == EXAMPLE


def test_an_empty_log_has_size_0():
    empty = Checkpoint("example.com/log", 0, EMPTY_ROOT)

    assert empty.text == "example.com/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
    assert Checkpoint.parse(empty.text) == empty


def test_extension_lines_are_ignored():
    assert Checkpoint.parse(f"{EXAMPLE}an extension\nanother\n") == Checkpoint.parse(EXAMPLE)


MALFORMED = {
    "nothing": "",
    "no root": "example.com/log\n1\n",
    "no origin": EXAMPLE.replace("example.com/behind-the-sofa", ""),
    "no newline at the end": EXAMPLE[:-1],
    "an empty line at the end": f"{EXAMPLE}\n",
    "an empty extension line": f"{EXAMPLE}\nan extension\n",
    "an extension line without a newline": f"{EXAMPLE}an extension",
    "a size with a leading zero": EXAMPLE.replace("20852163", "020852163"),
    "a size with a sign": EXAMPLE.replace("20852163", "+20852163"),
    "a size in hexadecimal": EXAMPLE.replace("20852163", "0x1"),
    "a size with a blank": EXAMPLE.replace("20852163", "20852163 "),
    "a size with digits of another script": EXAMPLE.replace("20852163", "\u0661"),
    "a size of more than 63 bits": EXAMPLE.replace("20852163", str(2**63)),
    "a size of 5,000 digits": EXAMPLE.replace("20852163", "1" * 5000),
    "a root that is too short": EXAMPLE.replace("CsUYapGG", ""),
    "a root that is too long": EXAMPLE.replace("CsUY", "CsUYCsUY"),
    "a root without padding": EXAMPLE.replace("=", ""),
    "a root with other unused bits": EXAMPLE.replace("q2I=", "q2J="),
    "carriage returns": EXAMPLE.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_malformed_checkpoints_are_refused(text):
    with pytest.raises(BadNote):
        Checkpoint.parse(text)


@pytest.mark.parametrize("origin", ["", "two\nlines"])
def test_an_origin_is_one_line(origin):
    with pytest.raises(BadNote, match="origin"):
        Checkpoint(origin, 1, ROOT)
