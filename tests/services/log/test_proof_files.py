"""Proof files, against the example of https://c2sp.org/tlog-proof."""

import base64

from services.log.proof_files import proof_file

# The specification has shortened the signatures.
CHECKPOINT = """\
example.com/fancylog
109482
sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

— example.com/fancylog hI2DJw[...]1roloI=
— witness1.example mJirIklj[...]qY9v2B/5bg==
— witness2.example TnKKVHLX[...]xwYwrSjgow==
— witness3.example S4X82uH5[...]3oEcROGLFQ==
"""
EXTRA = "YWdlLXYxLjIuMS1kYXJ3aW4tYXJtNjQudGFyLmd6kYXJ3aW4tYXJ"
PROOF = """\
gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=
EKNzoDWG8LGC0Yp9o+sv3qllpMP9uHQ9B20KNL+Q1zs=
RoopEkOdqkYqMB4MJXrbt/hMjOxsVn0IrWjpz1ZMMes=
AHCioX9nLjsrse6YhjRRmk1WUEirVOLLRoOQ6vfO5vk=
"""


def test_the_example_of_the_specification_is_written():
    extra = base64.b64decode(EXTRA, validate=True)
    proof = [base64.b64decode(line, validate=True) for line in PROOF.splitlines()]

    text = proof_file(extra=extra, index=73894, proof=proof, checkpoint=CHECKPOINT)

    assert text == f"c2sp.org/tlog-proof@v1\nextra {EXTRA}\nindex 73894\n{PROOF}\n{CHECKPOINT}"


def test_without_extra_data_the_line_is_left_out():
    text = proof_file(extra=b"", index=0, proof=[], checkpoint=CHECKPOINT)

    assert text == f"c2sp.org/tlog-proof@v1\nindex 0\n\n{CHECKPOINT}"
