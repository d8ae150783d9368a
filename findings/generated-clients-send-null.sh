#!/usr/bin/env bash
# orval 8.38.0, @hey-api/openapi-ts 0.99.0 and swagger-typescript-api 13.13.0, on Node.js.
# A query parameter that is documented as ["number", "null"] may be null in the types of each client. JSON has a
# null, a query has none: one expects it to be left out, as hey-api does. The other two send the text "null".
# With the default null in the document, orval's zod schema turns an empty query into {minPrice: null}, so its
# client sends ?minPrice=null although nobody has set it.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
npm install --silent --no-fund --no-audit --ignore-scripts orval@8.38.0 zod@4.4.3 @hey-api/openapi-ts@0.99.0 \
    swagger-typescript-api@13.13.0 typescript@5.9.3 > /dev/null
cat > api.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": {"title": "Items", "version": "1.0.0"},
  "servers": [{"url": "http://api.test"}],
  "paths": {"/items": {"get": {
    "operationId": "listItems",
    "tags": ["items"],
    "parameters": [{"in": "query", "name": "minPrice", "schema": {"type": ["number", "null"], "default": null}}],
    "responses": {"200": {
      "description": "The names",
      "content": {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}
    }}
  }}}
}
JSON
cat > orval.config.mjs <<'NODE'
const input = "./api.json";
export default {
    client: { input, output: { target: "./orval/client.ts", client: "fetch", baseUrl: "http://api.test" } },
    schemas: { input, output: { target: "./orval/schemas.ts", client: "zod" } },
};
NODE
{
    npx orval --config orval.config.mjs
    npx openapi-ts --input api.json --output hey-api --client @hey-api/client-fetch
    npx swagger-typescript-api generate --path api.json --output swagger --name client.ts
    # The types of the generated files do not matter here.
    npx tsc --module commonjs --moduleResolution node10 --target es2022 --skipLibCheck --outDir built \
        orval/*.ts hey-api/index.ts swagger/client.ts || true
} > generated.log 2>&1
cat > ask.cjs <<'NODE'
const asked = [];
globalThis.fetch = async (target) => {
    asked.push(new URL(target.url ?? target).search);
    return new Response("[]", { headers: { "Content-Type": "application/json" } });
};
const orval = require("./built/orval/client.js");
const { ListItemsQueryParams } = require("./built/orval/schemas.js");
const heyApi = require("./built/hey-api/index.js");
const { Api } = require("./built/swagger/client.js");

async function ask() {
    await orval.listItems({ minPrice: null });
    await orval.listItems(ListItemsQueryParams.parse({}));
    await new Api({ baseUrl: "http://api.test" }).items.listItems({ minPrice: null });
    await heyApi.listItems({ query: { minPrice: null } });
    const names = ["orval", "orval, with its zod schema", "swagger-typescript-api", "hey-api"];
    names.forEach((name, index) => console.log(`${name}: /items${asked[index]}`));
    const sent = "?minPrice=null";
    process.exit(JSON.stringify(asked) === JSON.stringify([sent, sent, sent, ""]) ? 0 : 1);
}

ask();
NODE
for package in orval @hey-api/openapi-ts swagger-typescript-api; do
    echo "$package $(node -p "JSON.parse(require('fs').readFileSync('node_modules/$package/package.json')).version")"
done
node ask.cjs || { code=$?; cat generated.log; exit "$code"; }
