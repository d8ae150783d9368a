// The catalogue on the page, with answers of a server that holds more items than a page of it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { browser } from "./page.mjs";

const NAME = "AWP | Redline & Co. (Field-Tested)";

async function answer(path) {
  const query = new URL(path, "http://localhost").searchParams;
  const item = (marketHashName) => ({ marketHashName, image: "/item.webp", price: "$10.00" });
  const others = Array.from({ length: 100 }, (_each, number) => item(`${NAME} ${number}`));
  return Response.json({ items: query.get("name") === NAME ? [item(NAME)] : others, pagination: { totalPages: 9 } });
}

test("an item and its picture are found by the full name, behind a hundred others", async () => {
  const load = await browser({ fetch: answer });
  const { imageOf, loadItem } = await load("game/items.js");

  assert.equal(await imageOf(NAME), "/item.webp");
  assert.deepEqual((await loadItem(NAME)).priceCents, 1_000);
});

test("items whose words begin with those of a search come first", async () => {
  const load = await browser();
  const { matchesFirst } = await load("parts/lists.js");
  const first = (text, ...names) => matchesFirst(names, text, (name) => name)[0];

  assert.equal(first("ak", "StatTrak™ AWP | Asiimov", "AK-47 | Redline"), "AK-47 | Redline");
  assert.equal(first("ak47 red", "AK-47 | Altered", "AK-47 | Redline"), "AK-47 | Redline");
  assert.equal(first("jormungandr", "AK-47 | Redline", "AWP | Jörmungandr"), "AWP | Jörmungandr");
});
