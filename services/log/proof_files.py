"""Proof files: that an entry is in a log, to be verified without a connection (https://c2sp.org/tlog-proof)."""

from collections.abc import Sequence

from services.log.notes import encode_base64

FORMAT = "c2sp.org/tlog-proof@v1"


def proof_file(*, extra: bytes, index: int, proof: Sequence[bytes], checkpoint: str) -> str:
    """The text of a proof file.

    ``extra`` is for the reader and is not authenticated by itself; empty bytes leave its line out. ``proof``
    is the inclusion proof of entry ``index`` in the tree of ``checkpoint``, which is a whole signed note.
    """
    lines = [FORMAT]
    if extra:
        lines.append(f"extra {encode_base64(extra)}")
    lines.append(f"index {index}")
    lines += map(encode_base64, proof)
    return "\n".join(lines) + "\n\n" + checkpoint
