"""The golden vectors of all algorithms, which the server, the command, the programs and the page share."""

import json

from tests.harness.servers import ROOT

PATH = ROOT / "verify" / "vectors.json"
VECTORS = json.loads(PATH.read_text())
SPINS = VECTORS["spins"]
"""Each has ``why``, ``input`` and ``output``."""

OPENINGS = VECTORS["openings"]
"""Likewise. ``content`` of the input is the canonical JSON of a case."""

REFUSED = VECTORS["refused"]
"""Each has ``why`` and ``input``."""

REFUSED_OPENINGS = VECTORS["refusedOpenings"]
"""Likewise."""
