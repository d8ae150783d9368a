#!/usr/bin/env bash
# socket.io-client 4.8.4, on Node.js.
# A null or undefined in the option "query" is sent as the text "null" or "undefined". One expects it to be left
# out, as JSON does with undefined; so a page without a token sends "?token=null".
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm install --silent --no-fund --no-audit socket.io-client@4.8.4 > /dev/null
cat > client.cjs <<'NODE'
const http = require("node:http");
const { io } = require("socket.io-client");

const server = http.createServer((request, response) => {
    const asked = new URL(request.url, "http://127.0.0.1").searchParams;
    console.log(`token=${asked.get("token")} (${typeof asked.get("token")}), seed=${asked.get("seed")}`);
    response.end();
    process.exit(asked.get("token") === "null" && asked.get("seed") === "undefined" ? 0 : 1);
});
server.listen(0, "127.0.0.1", () => {
    const query = { token: null, seed: undefined };
    io(`http://127.0.0.1:${server.address().port}`, { query, transports: ["polling"] });
});
setTimeout(() => process.exit(2), 20000);
NODE
echo "socket.io-client $(node -p 'require("socket.io-client/package.json").version')"
node client.cjs
