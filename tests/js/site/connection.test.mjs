// What the page does while the server or the connection is away.

import assert from "node:assert/strict";
import { test } from "node:test";

import { browser, Socket, Storage, turns } from "./page.mjs";

const UNAVAILABLE = "The service is temporarily unavailable. This page tries again by itself.";

async function api(context, answers) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const asked = [];
  const load = await browser({
    fetch: async (path, options) => {
      asked.push(options?.method ?? "GET");
      return answers(asked.length);
    },
  });
  const [requests, { state }] = await Promise.all(["api.js", "store.js"].map(load));
  return { ...requests, state, asked };
}

const refused = (headers = {}) =>
  Response.json({ error: "The service is temporarily unavailable" }, { status: 503, headers });

/** Lets so much time pass, in steps after which what was waited for goes on. */
async function pass(context, seconds) {
  for (let second = 0; second < seconds; second += 1) {
    await turns();
    context.mock.timers.tick(1_000);
  }
  await turns();
}

test("a read is tried again while the service is unavailable", async (context) => {
  const { getJson, state, asked } = await api(context, (number) => (number < 3 ? refused() : Response.json({ ok: 1 })));
  const answered = getJson("/leaderboard");
  await pass(context, 1);
  assert.equal(state.notice.text, UNAVAILABLE);
  assert.equal(asked.length, 1);

  await pass(context, 9);

  assert.deepEqual(await answered, { ok: 1 });
  assert.equal(asked.length, 3);
  assert.equal(state.notice, null);
});

test("a read is given up after sixty attempts", async (context) => {
  const { getJson, state, asked } = await api(context, () => refused());
  const answered = getJson("/leaderboard").catch((problem) => problem);

  await pass(context, 240);

  assert.deepEqual([(await answered).status, asked.length], [503, 60]);
  assert.equal(state.notice, null);
});

test("the pause is what the server asks for, or more", async (context) => {
  const { getJson, asked } = await api(context, () => refused({ "Retry-After": "20" }));
  getJson("/leaderboard").catch(() => {});

  await pass(context, 19);
  assert.equal(asked.length, 1);
  await pass(context, 22);
  assert.equal(asked.length, 2);
});

test("what changes something is sent once", async (context) => {
  const { sendJson, asked } = await api(context, () => refused());

  await assert.rejects(sendJson("POST", "/payments/withdrawals"), { status: 503 });

  assert.deepEqual(asked, ["POST"]);
});

test("without an answer the page says that there is no connection", async (context) => {
  const { getJson, Unanswered } = await api(context, () => { throw new TypeError("Failed to fetch"); });

  await assert.rejects(getJson("/leaderboard"), (problem) =>
    problem instanceof Unanswered && problem.message === "There is no connection to the server");
});

/** The connection of a guest, or of a player. */
async function connection(context, token = null) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const storage = new Storage();
  if (token) storage.setItem("token", token);
  const load = await browser({ storage });
  const socket = new Socket({ sockets: new Set(), greet() {} });
  let connections = 0;
  const { connect } = socket;
  socket.connect = () => { connections += 1; return connect.call(socket); };
  globalThis.newSocket = () => socket;
  const [{ state }, { getToken }] = await Promise.all(["store.js", "session.js", "connection.js"].map(load));
  return { socket, state, getToken, connections: () => connections };
}

test("a connection that the server has ended is made again within seconds", async (context) => {
  const { socket, state, connections } = await connection(context);
  socket.hear("disconnect", "io server disconnect");
  assert.deepEqual([state.line, state.isLive], ["Reconnecting…", false]);

  context.mock.timers.tick(1_499);
  assert.equal(connections(), 0);
  context.mock.timers.tick(3_001);

  assert.equal(connections(), 1);
  assert.deepEqual([state.line, state.isLive], ["Live", true]);
});

test("a longer loss is a notice, which ends with the connection", async (context) => {
  const { socket, state } = await connection(context);
  let reconnected = 0;
  addEventListener("reconnected", () => { reconnected += 1; });
  socket.hear("disconnect", "transport close");
  context.mock.timers.tick(3_999);
  assert.equal(state.notice, null);
  context.mock.timers.tick(1);
  assert.equal(state.notice.text, "There is no connection to the server. This page tries again by itself.");

  socket.connect();

  assert.equal(state.notice, null);
  assert.equal(reconnected, 1);
});

test("a browser that is offline says so and reconnects at once when it is back", async (context) => {
  const { socket, state, connections } = await connection(context);
  navigator.onLine = false;
  dispatchEvent(new Event("offline"));
  socket.hear("disconnect", "transport close");
  assert.equal(state.line, "Offline");
  assert.match(state.notice.text, /^You are offline\. This page goes on when you are back; a bet that you have placed/);

  navigator.onLine = true;
  dispatchEvent(new Event("online"));

  assert.equal(connections(), 1);
  assert.deepEqual([state.line, state.notice], ["Live", null]);
});

test("a refused token makes a guest of the player, other refusals do not", async (context) => {
  const { socket, state, getToken } = await connection(context, "token");
  socket.active = false;

  socket.hear("connect_error", new Error("Too many connections"));
  assert.deepEqual([state.line, getToken()], ["Too many connections. Trying again…", "token"]);
  socket.hear("connect_error", new Error("Unauthorized"));

  assert.equal(getToken(), null);
});

/** What a page loads, and the answers to its loads in their order. */
async function resource() {
  const { Resource } = await (await browser())("parts/lists.js");
  const loads = [];
  const loaded = new Resource((signal, what) => new Promise((answer, refuse) => {
    loads.push({ signal, what, answer, refuse });
  }));
  return { loaded, loads };
}

test("only what was asked for last is shown", async () => {
  const { loaded, loads } = await resource();
  loaded.load("weekly");
  const last = loaded.load("monthly");

  loads[1].answer("monthly");
  loads[0].answer("weekly");
  await last;
  await turns();

  assert.equal(loads[0].signal.aborted, true);
  assert.equal(loaded.value, "monthly");
});

test("what could not be loaded is loaded when the connection is back", async () => {
  const { loaded, loads } = await resource();
  const failed = loaded.load("monthly");
  loads[0].refuse(new Error("There is no connection to the server"));
  await failed;
  const note = "The leaderboard could not be loaded: There is no connection to the server";
  assert.equal(loaded.note("The leaderboard"), note);

  dispatchEvent(new Event("reconnected"));
  loads[1].answer("there");
  await turns();

  assert.deepEqual([loads[1].what, loaded.value, loaded.note("The leaderboard")], ["monthly", "there", ""]);
});

test("what was loaded is forgotten when another player signs in", async () => {
  const { loaded, loads } = await resource();
  const own = loaded.load();
  loads[0].answer("own");
  await own;

  dispatchEvent(new Event("session"));

  assert.equal(loaded.value, null);
});
