#!/usr/bin/env bash
# Varnish 7.1 of Debian 12 (apt-get install varnish), with nothing but a backend configured.
# It keeps an answer without Cache-Control for two minutes, a 404 too: what appears a moment later stays missing.
# One expects only answers that say so to be kept.
set -euo pipefail
place=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null; wait; rm -rf "$place"' EXIT
chmod 755 "$place"
export PATH="$PATH:/usr/sbin"
varnishd -V 2>&1 | head -1
read -r backend front <<< "$(python3 -c '
import socket
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(each.getsockname()[1] for each in held))')"
mkdir "$place/files"
python3 -m http.server "$backend" --bind 127.0.0.1 --directory "$place/files" > "$place/log" 2>&1 &
varnishd -F -n "$place/work" -a "127.0.0.1:$front" -b "127.0.0.1:$backend" -s malloc,16m > "$place/varnish" 2>&1 &
status() { curl --silent --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:$1/page" || true; }
for _ in $(seq 100); do
    [[ $(status "$backend") == 404 ]] && [[ $(status "$front") == 404 ]] && break
    sleep 0.1
done
touch "$place/files/page"
sleep 2
echo "the server: $(status "$backend"), Varnish: $(status "$front")"
[[ $(status "$backend") == 200 && $(status "$front") == 404 ]]
