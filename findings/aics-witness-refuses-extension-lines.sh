#!/usr/bin/env bash
# aics-witness 0.1.0, on Python 3.12 or later.
# A checkpoint may have further lines below its root: https://c2sp.org/tlog-checkpoint calls them extension lines. This
# witness answers such a checkpoint with 400, as if the request were malformed, until the log's operator has
# `"extension_lines": true` in the configuration of the witness. So a log that begins to use them loses its witness.
set -euo pipefail
place=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null; wait; rm -rf "$place"' EXIT
cd "$place"
# It runs on 3.11 too.
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check --ignore-requires-python \
    aics-witness==0.1.0 aics-tlog==0.2.1 cryptography==50.0.2
cat > log.py <<'PYTHON'
import base64
import hashlib
import sys
import urllib.error
import urllib.request

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

NAME = "example.com/log"
key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
typed = b"\x01" + key.public_key().public_bytes_raw()
key_id = hashlib.sha256(f"{NAME}\n".encode() + typed).digest()[:4]


def status(address, more):
    text = f"{NAME}\n1\n{base64.b64encode(bytes(32)).decode()}\n{more}"
    signature = base64.b64encode(key_id + key.sign(text.encode())).decode()
    body = f"old 0\n\n{text}\n\u2014 {NAME} {signature}\n"
    try:
        answer = urllib.request.urlopen(f"{address}/add-checkpoint", body.encode())
    except urllib.error.HTTPError as error:
        answer = error
    print(f"with {more!r}: {answer.status} {answer.read().decode()[:70]!r}")
    return answer.status


if len(sys.argv) == 1:
    print(f"{NAME}+{key_id.hex()}+{base64.b64encode(typed).decode()}")
else:
    seen = [status(sys.argv[1], "an extension\n"), status(sys.argv[1], "")]
    raise SystemExit(0 if seen == [400, 200] else 1)
PYTHON
program=venv/bin/aics-witness
"$program" --version
"$program" init --config w.json --name example.com/w1 > /dev/null 2>&1
"$program" add-log --config w.json --origin example.com/log --vkey "$(venv/bin/python log.py)" 2> /dev/null
"$program" serve --config w.json --listen 127.0.0.1:0 > output 2>&1 &
for _ in $(seq 100); do
    address=$(sed -n 's/.*listening on \(http:[^ ]*\).*/\1/p' output)
    [[ -n "$address" ]] && break
    sleep 0.1
done
venv/bin/python log.py "$address"
