// Players on the real JavaScript client, each from an address of its own, who spin every two seconds.
// All lines are JSON. The first of standard input is {url, tokens, item, amount, everyMs}; half of them poll. Prints
// "ready" when all have joined. Each further line is "play", "pause" or "tell"; "pause" prints "paused" when no spin is
// under way, "tell" prints {spins, refused, disconnects, slowestMs, late} and begins anew.
import { Agent } from "node:http";
import { createInterface } from "node:readline";
import { io } from "socket.io-client";

const LATE_MS = 1000;
const LOST_MS = 60_000;
const FIRST_ADDRESS = 10;
const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { url, tokens, item, amount, everyMs } = JSON.parse((await orders.next()).value);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
let [playing, told] = [false, fresh()];
const underWay = new Set();

function fresh() {
  return { spins: 0, refused: {}, disconnects: {}, slowestMs: 0, late: 0 };
}

const count = (counts, name) => { counts[name] = (counts[name] ?? 0) + 1; };

function join(token, number) {
  const localAddress = `127.0.0.${FIRST_ADDRESS + number}`;
  const transport = number % 2 ? "polling" : "websocket";
  const agent = new Agent({ localAddress, keepAlive: false });
  const socket = io(url, { auth: { token }, transports: [transport], agent, localAddress, forceNew: true });
  socket.on("disconnect", (reason) => count(told.disconnects, `${transport}: ${reason}`));
  socket.on("connect_error", (error) => count(told.disconnects, `${transport}: ${error.message}`));
  return new Promise((joined) => socket.once("upgrader:commitment", () => joined([socket, transport])));
}

async function spin(socket, transport) {
  const began = performance.now();
  let answer;
  try {
    answer = await socket.timeout(LOST_MS).emitWithAck("upgrader:spin", { amount, item });
  } catch {
    answer = { status: false, error: "no answer" };
  }
  const ms = performance.now() - began;
  told.spins += 1;
  told.slowestMs = Math.max(told.slowestMs, ms);
  if (ms > LATE_MS) told.late += 1;
  if (!answer.status) count(told.refused, `${transport}: ${answer.error}`);
}

async function live([socket, transport]) {
  await pause(Math.random() * everyMs);
  for (;;) {
    if (playing) {
      const spinning = spin(socket, transport);
      underWay.add(spinning);
      await spinning;
      underWay.delete(spinning);
    }
    await pause(everyMs);
  }
}

const seats = await Promise.all(tokens.map(join));
seats.forEach((seat) => live(seat));
console.log(JSON.stringify("ready"));
for await (const line of orders) {
  const order = JSON.parse(line);
  if (order === "tell") {
    console.log(JSON.stringify(told));
    told = fresh();
  } else {
    playing = order === "play";
    if (!playing) {
      await Promise.all(underWay);
      console.log(JSON.stringify("paused"));
    }
  }
}
process.exit(0);
