// A client whose types are generated from /openapi.json. Prints what it was answered, as JSON.
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi.js";

const [baseUrl = "", token = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });
const headers = { Authorization: `Bearer ${token}` };

type Item = components["schemas"]["InventoryItem"];

const me = await client.GET("/auth/me", { headers });
const page = await client.GET("/upgrader/items/pagination", { params: { query: { limit: 1, sort: "Descending" } } });
const first: Item | undefined = page.data?.items[0];
const spun = await client.GET("/upgrader/bets/{nonce}", { params: { path: { nonce: 1 } }, headers });
const unknown = await client.GET("/profile/user/{platform_id}", { params: { path: { platform_id: "nobody" } } });
const refused = await client.POST("/affiliate/use-code", { body: { code: "LUCKY7" } });

// These two are errors at compile time: a field that does not exist, and one of another type.
// @ts-expect-error
page.data?.items[0]?.colour;
// @ts-expect-error
const amount: string | undefined = me.data?.balance;

console.log(
  JSON.stringify({
    balance: me.data?.balance,
    item: first?.marketHashName,
    pages: page.data?.pagination.totalPages,
    seed: spun.data?.pf.clientSeed,
    unknown: unknown.error,
    refused: refused.error?.message,
  }),
);
