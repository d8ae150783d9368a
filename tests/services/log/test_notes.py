"""Signed notes and checkpoints, against the examples of C2SP and of Go.

https://c2sp.org/tlog-checkpoint, and note_test.go of https://pkg.go.dev/golang.org/x/mod/sumdb/note.
"""

import base64

import pytest

from services.log.notes import BadNote, Checkpoint, LogKeys, SigningKey
from services.log.tree import EMPTY_ROOT

PETER_TEXT = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
TEXT = """\
If you think cryptography is the answer to your problem,
then you don't know what your problem is.
"""
BY_PETER = """\
— PeterNeumann \
x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
"""
PETER_KEYS = LogKeys([PETER_SEED])


def test_signing_gives_the_note_of_go():
    assert PETER_KEYS.sign(TEXT, name="PeterNeumann") == f"{TEXT}\n{BY_PETER}"


def test_a_signing_key_has_the_verifier_key_of_go():
    assert SigningKey("PeterNeumann", PETER_SEED).verifier_key == PETER_TEXT


def test_a_printed_signing_key_does_not_show_its_seed():
    assert repr(PETER_SEED) not in repr(vars(SigningKey("PeterNeumann", PETER_SEED)))


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


CHECKPOINT = Checkpoint("example.com/log", 0, EMPTY_ROOT)
SEEDS = [bytes(32), bytes(range(32))]
NOTE = LogKeys(SEEDS).sign_checkpoint(CHECKPOINT)


@pytest.mark.parametrize("seed", SEEDS, ids=["the current key", "the next key"])
def test_checkpoints_are_signed_by_all_keys(seed):
    assert LogKeys([seed]).open_checkpoint(NOTE) == CHECKPOINT


@pytest.mark.parametrize(
    "note",
    [
        CHECKPOINT.text,
        f"{CHECKPOINT.text}\n",
        NOTE.replace("\n\n", "\n"),
        NOTE.replace("\n0\n", "\n1\n"),
        NOTE.replace("— example.com/log", "— example.com/logs"),
        NOTE.replace("\n— ", "\n- "),
        f"\x01{NOTE}",
        LogKeys([b"another key of the log of tests!"]).sign_checkpoint(CHECKPOINT),
    ],
)
def test_a_checkpoint_that_no_key_has_signed_is_refused(note):
    with pytest.raises(BadNote):
        LogKeys(SEEDS).open_checkpoint(note)


MALFORMED = {
    "nothing": "",
    "no root": "example.com/log\n1\n",
    "no origin": EXAMPLE.replace("example.com/behind-the-sofa", ""),
    "a size with a leading zero": EXAMPLE.replace("20852163", "020852163"),
    "a size with a sign": EXAMPLE.replace("20852163", "+20852163"),
    "a size in hexadecimal": EXAMPLE.replace("20852163", "0x1"),
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
