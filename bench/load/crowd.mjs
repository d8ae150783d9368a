// A process with many browser sockets. The first line of standard input is {port, origin}. Each further line is a
// command, which a line of JSON answers. {"join": [token, …]} opens a websocket for each token at once and answers when
// all have been welcomed, or one was lost. {"heard": n} waits until all of them have the n-th live bet since the start,
// and says when, in Unix ms, the last one had it.
import { createInterface } from "node:readline";

const PATIENCE_MS = 120_000;
const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { port, origin } = JSON.parse((await orders.next()).value);
// Chrome's headers, because the server may keep them for as long as the socket lives.
const headers = {
  Origin: origin,
  "User-Agent":
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  "Accept-Language": "en-GB,en-US;q=0.9,en;q=0.8",
};
// In order of arrival: how many sockets have each live bet, and when the last one had it.
const heard = new Map();
let [members, welcomed, lost, changed] = [0, 0, 0, () => {}];

function join(token) {
  members += 1;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`, { headers });
  socket.onclose = () => {
    lost += 1;
    changed();
  };
  socket.onmessage = ({ data }) => {
    if (data[0] === "0") socket.send(`40${JSON.stringify({ token })}`);
    else if (data === "2") socket.send("3");
    else if (data.startsWith('42["live-bets",')) welcomed += 1;
    else if (data.startsWith('42["live-bets:new",')) {
      heard.set(data, { count: (heard.get(data)?.count ?? 0) + 1, last_ms: performance.timeOrigin + performance.now() });
    } else return;
    changed();
  };
}

async function until(condition) {
  const late = setTimeout(() => process.exit(1), PATIENCE_MS);
  while (!condition() && lost === 0) await new Promise((resolve) => (changed = resolve));
  clearTimeout(late);
}

for await (const line of orders) {
  const order = JSON.parse(line);
  const began = performance.now();
  if (order.join) {
    const before = welcomed;
    order.join.forEach(join);
    await until(() => welcomed === members);
    console.log(JSON.stringify({ joined: welcomed - before, lost, seconds: (performance.now() - began) / 1000 }));
  } else {
    const nth = () => [...heard.values()][order.heard - 1];
    await until(() => nth()?.count >= members);
    console.log(JSON.stringify({ ...nth(), lost }));
  }
}
