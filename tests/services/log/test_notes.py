"""Signed notes and verifier keys, against the examples of https://c2sp.org/signed-note and of Go.

Go's are those of https://pkg.go.dev/golang.org/x/mod/sumdb/note, note_test.go.
"""

import base64
import json
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.log.notes import MAX_LENGTH, BadNote, SigningKey, VerifierKey, open_note, sign
from tests.support.golden_log import golden_files

NOTES = json.loads(golden_files()["notes.json"])
EXAMPLE_KEY = VerifierKey.parse("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
EXAMPLE = """\
This is an example message.

— example.com/foo \
Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
"""

POEM = """\
Ognuno sta solo sul cuor della terra
trafitto da un raggio di sole:

ed è subito sera.

— quasimodo.example/salvatore \
NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=
"""

PETER_TEXT = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER = VerifierKey.parse(PETER_TEXT)
PETER_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
ENOCH = VerifierKey.parse("EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop")
TEXT = """\
If you think cryptography is the answer to your problem,
then you don't know what your problem is.
"""
BY_PETER = """\
— PeterNeumann \
x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
"""
BY_ENOCH = """\
— EnochRoot \
rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=
"""
FAILING = BY_ENOCH.replace("5n2t", "5n2u")

OURS = SigningKey("example.com/log", bytes(range(32)))

CHARACTERS = st.characters(exclude_categories=["Cs"]).filter(lambda character: character >= " ")


def test_the_example_of_the_specification_is_opened():
    assert open_note(EXAMPLE, [EXAMPLE_KEY]) == "This is an example message.\n"


def test_signing_gives_the_note_of_go():
    assert sign(TEXT, [SigningKey("PeterNeumann", PETER_SEED)]) == f"{TEXT}\n{BY_PETER}"


def test_a_signing_key_has_the_verifier_key_of_go():
    assert SigningKey("PeterNeumann", PETER_SEED).verifier_key == PETER_TEXT


def test_signatures_of_unknown_keys_are_ignored():
    assert open_note(f"{TEXT}\n{FAILING}{BY_PETER}", [PETER]) == TEXT


def test_a_failing_signature_of_a_known_key_refuses_the_note():
    with pytest.raises(BadNote, match="fails"):
        open_note(f"{TEXT}\n{BY_PETER}{FAILING}", [PETER, ENOCH])


@pytest.mark.parametrize("known", [[], [PETER, ENOCH, EXAMPLE_KEY]], ids=["no key", "other keys"])
def test_a_note_that_no_known_key_has_signed_is_refused(known):
    with pytest.raises(BadNote, match="no known key"):
        open_note(POEM, known)


@pytest.mark.parametrize(
    "line",
    [BY_PETER.replace("PeterNeumann", "PeterNeumanN"), BY_PETER.replace("x08go", "x08gp")],
    ids=["the ID of a known key and another name", "the name of a known key and another ID"],
)
def test_a_signature_that_shares_only_a_part_with_a_known_key_is_unknown(line):
    name_or_id_differs = f"{TEXT}\n{line}"

    with pytest.raises(BadNote, match="no known key"):
        open_note(name_or_id_differs, [PETER])


@given(st.text(CHARACTERS | st.just("\n")))
def test_signed_texts_are_opened_again(text):
    assert open_note(sign(text + "\n", [OURS]), [OURS.verifier]) == text + "\n"


MALFORMED = {
    "no signatures": TEXT,
    "an empty line and no signatures": f"{TEXT}\n",
    "no empty line": TEXT + BY_PETER,
    "an empty line at the end": f"{TEXT}\n{BY_PETER}\n",
    "no newline at the end": f"{TEXT}\n{BY_PETER[:-1]}",
    "another character at the end": f"{TEXT}\n{BY_PETER[:-1]}.",
    "a control character": f"\x01{TEXT}\n{BY_PETER}",
    "a carriage return": f"{TEXT}\n{BY_PETER[:-1]}\r\n",
    "half a surrogate pair": f"\ud800{TEXT}\n{BY_PETER}",
    "a name with a blank": f"{TEXT}\n{BY_PETER.replace('rN', 'r N')}",
    "a name with a plus sign": f"{TEXT}\n{BY_PETER}{BY_ENOCH.replace('hR', 'h+R')}",
    "no name": f"{TEXT}\n{BY_PETER.replace('PeterNeumann ', '')}",
    "a hyphen as the dash": f"{TEXT}\n{BY_PETER.replace('—', '-')}",
    "another line": f"{TEXT}\n{BY_PETER}Unexpected line.\n",
    "bad base64 of an unknown key": f"{TEXT}\n{BY_PETER}{BY_ENOCH.replace('rwz+', 'rwz*')}",
    "base64 for addresses": f"{TEXT}\n{BY_PETER}{BY_ENOCH.replace('rwz+', 'rwz-')}",
    "base64 without padding": f"{TEXT}\n{BY_PETER}{BY_ENOCH.replace('=', '')}",
    "a key ID without a signature": f"{TEXT}\n{BY_PETER}— EnochRoot rwz+eA==\n",
    "a note that is too long": f"{'a' * MAX_LENGTH}\n\n{BY_PETER}",
}


@pytest.mark.parametrize("note", MALFORMED.values(), ids=MALFORMED)
def test_malformed_notes_are_refused(note):
    with pytest.raises(BadNote, match=r"the note (has|is)|of the note|base64"):
        open_note(note, [PETER])


@pytest.mark.parametrize("ending", NOTES, ids=lambda ending: ending["why"])
def test_the_golden_notes_are_taken_and_no_others(ending):
    note = f"{TEXT}\n{BY_PETER}{ending['line'] * ending['times']}"

    with nullcontext() if ending["isNote"] else pytest.raises(BadNote):
        assert open_note(note, [PETER]) == TEXT


def test_a_verifier_key_with_another_character_is_not_a_key():
    for position, character in enumerate(PETER_TEXT):
        with pytest.raises(BadNote):
            VerifierKey.parse(PETER_TEXT[:position] + chr(ord(character) + 1) + PETER_TEXT[position + 1 :])


@pytest.mark.parametrize(
    "text",
    [
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        PETER_TEXT.replace("c74f20a3", "C74F20A3"),
    ],
    ids=["a longer key", "another signature type", "a key ID in upper case"],
)
def test_other_verifier_keys_are_refused(text):
    with pytest.raises(BadNote):
        VerifierKey.parse(text)


def test_a_printed_signing_key_does_not_show_its_seed():
    assert repr(OURS) == "SigningKey(name='example.com/log')"
