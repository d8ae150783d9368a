"""Hashes, roots and inclusion proofs, against the vectors of Certificate Transparency."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.log import merkle
from tests.services.log import rfc6962

LEAVES = [merkle.leaf_hash(entry) for entry in rfc6962.ENTRIES]


@pytest.mark.parametrize("size", range(9))
def test_roots_are_those_of_certificate_transparency(size):
    assert merkle.root_of(LEAVES[:size]).hex() == rfc6962.ROOTS[size]


@pytest.mark.parametrize(("index", "size"), rfc6962.INCLUSION_PROOFS)
def test_published_proofs_lead_to_the_published_root(index, size):
    proof = [bytes.fromhex(text) for text in rfc6962.INCLUSION_PROOFS[index, size]]

    assert merkle.root_from_proof(index, size, LEAVES[index], proof).hex() == rfc6962.ROOTS[size]


@given(st.data())
def test_a_proof_fails_when_anything_in_it_is_altered(data):
    size = data.draw(st.integers(2, 40), label="size")
    index, other = data.draw(st.permutations(range(size)), label="indexes")[:2]
    leaves = [merkle.leaf_hash(bytes([entry])) for entry in range(size)]
    proof = rfc6962.path(index, leaves)
    position = data.draw(st.integers(0, len(proof) - 1), label="position")
    altered = bytes([proof[position][0] ^ 1]) + proof[position][1:]

    for wrong_index, leaf, wrong_proof in (
        (other, leaves[index], proof),
        (index, leaves[other], proof),
        (index, leaves[index], [*proof[:position], altered, *proof[position + 1 :]]),
        (index, leaves[index], [*proof[:position], *proof[position + 1 :]]),
        (index, leaves[index], [*proof, proof[position]]),
    ):
        assert not _leads_to(rfc6962.mth(leaves), wrong_index, size, leaf, wrong_proof)


def _leads_to(root, index, size, leaf, proof):
    try:
        return merkle.root_from_proof(index, size, leaf, proof) == root
    except ValueError:
        return False
