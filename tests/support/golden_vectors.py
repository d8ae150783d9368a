"""The golden vectors of the roll, which the server, the command, the programs and the page share."""

import json

from bench.harness.servers import ROOT

PATH = ROOT / "verify" / "vectors.json"
VECTORS = json.loads(PATH.read_text())
SPINS = VECTORS["spins"]
"""Each has ``why``, ``input`` and ``output``."""

REFUSED = VECTORS["refused"]
"""Each has ``why`` and ``input``."""
