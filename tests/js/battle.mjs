// Two players and a spectator see a battle to its end, told as JSON: node battle.mjs ADDRESS TOKEN TOKEN CASE PRICE
import { setTimeout as sleep } from "node:timers/promises";
import { io } from "socket.io-client";

const [address, creator, rival, id, price] = process.argv.slice(2);
const connect = (token) => io(address, { auth: { token }, transports: ["websocket"], reconnection: false });
const sockets = [creator, rival].map(connect);
const spectator = connect();

const told = { list: [], battle: [], receipts: [], balances: [] };
spectator.on("battles:changed", (battle) => told.list.push(battle));
spectator.on("battle:changed", (battle) => told.battle.push(battle));
sockets.forEach((socket, seat) => {
  socket.on("log:receipt", (receipt) => { told.receipts[seat] = receipt; });
  socket.on("balance", ({ balance }) => { told.balances[seat] = balance; });
});

async function post(token, path, body) {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const answer = await fetch(address + path, { method: "POST", headers, body: JSON.stringify(body) });
  return [answer.status, await answer.json()];
}

async function until(isTrue) {
  while (!isTrue()) await sleep(20);
}

told.listed = await spectator.emitWithAck("battles:watch");
const terms = { mode: "normal", teams: "1v1", price: Number(price) };
const [, created] = await post(creator, "/battles", { ...terms, cases: [{ case: id, count: 1 }] });
told.watched = await spectator.emitWithAck("battle:watch", { id: created.id });
let status, joined;
do {
  [status, joined] = await post(rival, `/battles/${created.id}/join`, { seat: 1, price: Number(price) });
  // Paused until the first beacon is there.
} while (status === 503 && (await sleep(500, true)));
told.joined = joined;
await until(() => told.battle.at(-1)?.state === "settled");
const { payouts, cost } = told.battle.at(-1);
await until(() => payouts.every((payout, seat) => Math.abs(told.balances[seat] - (100 - cost + payout)) < 0.001));
console.log(JSON.stringify(told));
for (const socket of [...sockets, spectator]) socket.disconnect();
