// What the browser keeps of the bets that are over.

import assert from "node:assert/strict";
import { test } from "node:test";

import { House } from "./house.mjs";
import { openPage, until } from "./page.mjs";

test("the pictures of a case are kept until an opening is verified", async () => {
  const house = new House();
  const page = await openPage(house);
  const { attempts } = await page.load("fairness/attempts.js");
  const pictures = () => attempts().map(({ display }) => display.images.length);
  await page.showCase();
  await page.click();
  assert.deepEqual(pictures(), [2]);
  await page.verdict(1);
  await page.click();
  await page.verdict(2);

  await page.click();

  await until(() => pictures()[0] === 0);
  assert.equal(pictures().at(-1), 2);
});
