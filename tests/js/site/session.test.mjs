// A session is one for all tabs of a browser, and a link replaces it only after a question.

import assert from "node:assert/strict";
import { test } from "node:test";

import { browser, Storage } from "./page.mjs";

const tokenOf = (player, number = 1) => `${number}.${btoa(JSON.stringify({ sub: player }))}.x`;
const [ALICE, MALLORY] = [tokenOf("alice"), tokenOf("mallory")];
const MINUTE = 60_000;

/** The session of a browser that is signed in as `token`, and what it takes from the address. */
async function arrive({ token = null, query, trial = true, began = null }) {
  const [storage, session] = [new Storage(), new Storage()];
  if (token) storage.setItem("token", token);
  if (began !== null) session.setItem("login-started", Date.now() - began);
  const load = await browser({ storage, session, address: `/ranking?${query}&period=monthly` });
  const { getToken, takeLogin } = await load("session.js");
  return { ...takeLogin({ trial }), token: getToken(), address: location.pathname + location.search };
}

const ARRIVALS = [
  ["a guest on trial", {}, MALLORY],
  ["a player of another account", { token: ALICE }, ALICE],
  ["the same player, with a newer token", { token: tokenOf("mallory", 2) }, MALLORY],
  ["a guest in production", { trial: false }, null],
  ["the same player in production", { trial: false, token: tokenOf("mallory", 2) }, tokenOf("mallory", 2)],
  ["a guest whose login began here", { trial: false, began: MINUTE }, MALLORY],
  ["a player whose login began here", { trial: false, began: MINUTE, token: ALICE }, MALLORY],
  ["a guest whose login began too long ago", { trial: false, began: 11 * MINUTE }, null],
];

for (const [who, options, expected] of ARRIVALS) {
  test(`a link with a token: ${who}`, async () => {
    const { token, offered, address } = await arrive({ query: `token=${MALLORY}`, ...options });

    assert.equal(token, expected);
    assert.equal(offered, expected === MALLORY ? undefined : MALLORY);
    assert.equal(address, "/ranking?period=monthly");
  });
}

test("a login counts for one token", async () => {
  const session = new Storage();
  session.setItem("login-started", Date.now());
  for (const offered of [undefined, MALLORY]) {
    const load = await browser({ session, address: `/?token=${MALLORY}` });
    assert.equal((await load("session.js")).takeLogin({ trial: false }).offered, offered);
  }
});

const FAILURES = {
  login_failed: "Signing in did not work, or was cancelled. Nothing has changed; you can try again.",
  account_suspended: "Your account is suspended, so you can't sign in. Please contact support.",
  provider_unavailable: "The sign-in service can't be reached at the moment. Please try again later.",
  login_removed: "This login was removed from its account. Please sign in in another way.",
  already_linked: "This login belongs to another account, so it was not linked. Nothing has changed.",
  link_failed: "Linking did not work, or was cancelled. Nothing has changed; you can try again.",
  "<script>": "Signing in did not work.",
};

for (const [error, text] of Object.entries(FAILURES)) {
  test(`a failed login is explained: ${error}`, async () => {
    assert.equal((await arrive({ query: `error=${encodeURIComponent(error)}` })).say, text);
  });
}

for (const [linked, text] of [["identity", "You can sign in with your identity provider now."], ["<script>", ""]]) {
  test(`a linked login is named: ${linked}`, async () => {
    const { say, address } = await arrive({ query: `linked=${encodeURIComponent(linked)}` });

    assert.equal(say, text);
    assert.equal(address, "/account/security?period=monthly");
  });
}

test("a challenge is taken from the address", async () => {
  assert.equal((await arrive({ query: "challenge=abc" })).challenge, "abc");
});

/** A signed-in tab that follows the others; what it has been told. */
async function tabOf(token) {
  const storage = new Storage();
  storage.setItem("token", token);
  const answers = [];
  const load = await browser({ storage, fetch: () => new Promise((resolve) => { answers.push(resolve); }) });
  const [session, api, { state }] = await Promise.all(["session.js", "api.js", "store.js"].map(load));
  session.followOtherTabs();
  let changes = 0;
  addEventListener("session", () => { changes += 1; });
  return { storage, ...session, ...api, state, answers, changes: () => changes };
}

const CHANGES = [
  [MALLORY, "You have signed in as this player in another tab."],
  [null, "You were signed out in another tab."],
];

for (const [token, notice] of CHANGES) {
  for (const event of ["storage", "pageshow"]) {
    test(`a tab follows another one at ${event}: ${notice}`, async () => {
      const tab = await tabOf(ALICE);
      if (token) tab.storage.setItem("token", token);
      else tab.storage.removeItem("token");

      dispatchEvent(new Event(event));

      assert.equal(tab.getToken(), token);
      assert.equal(tab.state.notice.text, notice);
      assert.equal(tab.changes(), 1);
    });
  }
}

test("a refused token signs the player out", async () => {
  const tab = await tabOf(ALICE);
  const asked = tab.getOwn("/auth/me");
  tab.answers[0](Response.json({ error: "Unauthorized" }, { status: 401 }));

  await assert.rejects(asked, { status: 401 });

  assert.equal(tab.getToken(), null);
  assert.equal(tab.storage.getItem("token"), null);
  assert.equal(tab.state.notice.text, "Your session has expired. Please sign in again.");
});

test("a late refusal does not sign out the next player", async () => {
  const tab = await tabOf(ALICE);
  const asked = tab.getOwn("/auth/me");
  tab.setToken(MALLORY);
  tab.answers[0](Response.json({ error: "Unauthorized" }, { status: 401 }));

  await assert.rejects(asked);

  assert.equal(tab.getToken(), MALLORY);
});

test("a late answer for another player is not shown", async () => {
  const tab = await tabOf(ALICE);
  const asked = tab.getOwn("/auth/me");
  tab.setToken(MALLORY);
  tab.answers[0](Response.json({ username: "alice" }));

  await assert.rejects(asked, { message: "Another player has signed in" });
});
