#!/usr/bin/env bash
# @asyncapi/modelina 5.10.1, on Node.js.
# Of a document of AsyncAPI 3.0.0 it makes an interface for each payload. If only the version says 3.1.0, which
# changes nothing about payloads, one expects the same, or an error. It makes "type Root = any" and says nothing.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm install --silent --no-fund --no-audit --ignore-scripts @asyncapi/modelina@5.10.1 > /dev/null
cat > generate.mjs <<'NODE'
import { TypeScriptGenerator } from "@asyncapi/modelina";

const payload = {
    title: "Balance",
    type: "object",
    required: ["coins"],
    properties: { coins: { type: "number" } },
    additionalProperties: false,
};

async function generate(asyncapi) {
    const messages = { balance: { payload } };
    const operation = {
        action: "send",
        channel: { $ref: "#/channels/socket" },
        messages: [{ $ref: "#/channels/socket/messages/balance" }],
    };
    const document = {
        asyncapi,
        info: { title: "Balances", version: "1.0.0" },
        channels: { socket: { address: "/", messages } },
        operations: { sendBalance: operation },
    };
    const models = await new TypeScriptGenerator({ modelType: "interface" }).generate(document);
    return models.map((model) => model.result.replace(/\s+/g, " ")).join("; ");
}

const made = [await generate("3.0.0"), await generate("3.1.0")];
console.log(`3.0.0: ${made[0]}`);
console.log(`3.1.0: ${made[1]}`);
process.exit(made[0] === "interface Balance { coins: number; }" && made[1] === "type Root = any;" ? 0 : 1);
NODE
echo "@asyncapi/modelina $(node -p 'JSON.parse(require("fs").readFileSync("node_modules/@asyncapi/modelina/package.json")).version')"
node generate.mjs
