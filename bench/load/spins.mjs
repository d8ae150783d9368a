// Players at their sockets, each betting again as soon as it is answered. The first line of standard input is
// {port, tokens}: they connect. Each further line is {bets, warmupSeconds, seconds, everySeconds}: they bet for so long,
// each of them not more often than that, and a line tells how many bets were settled after the warm-up, and how long
// each took from sending it to its acknowledgement. Each of bets is an event and its payload; the players take them in
// turns. Between two lines the players do nothing.
//
// Socket.IO over websockets written out by hand: the real client costs as much as the server that is measured.
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { port, tokens } = JSON.parse((await orders.next()).value);
const MOST_LATENCIES = 4_000_000;
const CONNECTING_AT_ONCE = 20;
const HEAD_END = Buffer.from("\r\n\r\n");
const [TEXT, CLOSE, PING, PONG] = [1, 8, 9, 10];
const [EVENT, BRACKET] = [0x32, 0x5b];
const latencies = new Float64Array(MOST_LATENCIES);
const mask = randomBytes(4);
let [answers, bets] = [null, []];
let [measuring, playing, serial, spinning, everyMs] = [false, false, 0, 0, 0];

function fail(why) {
  console.error(why);
  process.exit(1);
}

// A client's frame: masked, as it must be, and short.
function frame(opcode, payload) {
  const extended = payload.length > 125 ? 2 : 0;
  const out = Buffer.allocUnsafe(6 + extended + payload.length);
  out[0] = 0x80 | opcode;
  out[1] = 0x80 | (extended ? 126 : payload.length);
  if (extended) out.writeUInt16BE(payload.length, 2);
  const start = 2 + extended;
  mask.copy(out, start);
  for (let i = 0; i < payload.length; i++) out[start + 4 + i] = payload[i] ^ mask[i & 3];
  return out;
}

// Calls back with (opcode, text) for every whole frame in what has arrived; the server's are not masked.
function reader(onFrame) {
  let rest = null;
  return (chunk) => {
    const data = rest === null ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (data.length - at >= 2) {
      let [length, start] = [data[at + 1] & 0x7f, at + 2];
      if (length === 126) {
        if (data.length - at < 4) break;
        [length, start] = [data.readUInt16BE(at + 2), at + 4];
      } else if (length === 127) {
        if (data.length - at < 10) break;
        [length, start] = [Number(data.readBigUInt64BE(at + 2)), at + 10];
      }
      if (data.length < start + length) break;
      onFrame(data[at] & 0x0f, data, start, start + length);
      at = start + length;
    }
    rest = at < data.length ? Buffer.from(data.subarray(at)) : null;
  };
}

function join(token) {
  return new Promise((joined) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const say = (text) => socket.write(frame(TEXT, Buffer.from(text)));
    let [head, asked, ask] = [Buffer.alloc(0), 0, 0];

    function spin() {
      ask += 1;
      const clientSeed = `seed-${(serial += 1)}`;
      const [event, bet] = bets[serial % bets.length];
      const payload = JSON.stringify([event, { ...bet, clientSeed }]);
      asked = performance.now();
      say(`42${ask}${payload}`);
    }

    function spinAgain() {
      const early = asked + everyMs - performance.now();
      if (!playing) spinning -= 1;
      else if (early <= 0) spin();
      else setTimeout(() => (playing ? spin() : (spinning -= 1)), early);
    }

    function take(packet) {
      if (packet.startsWith("43")) {
        answers.answeredInAll += 1;
        if (measuring) count(JSON.parse(packet.slice(packet.indexOf("[")))[0], performance.now() - asked);
        spinAgain();
      }
      if (packet.startsWith("40")) joined(spin);
      if (packet.startsWith("44")) fail(`refused: ${packet}`);
      if (packet === "2") say("3");
      if (packet[0] === "0") say(`40${JSON.stringify({ token })}`);
    }

    const read = reader((opcode, data, start, end) => {
      // Most frames are events that a browser would show; here their first letters are enough.
      if (opcode === TEXT && data[start + 1] === EVENT && data[start + 2] !== BRACKET) {
        // One that asks for an acknowledgement: a proof.
        say(`43${data.toString("latin1", start + 2, data.indexOf(BRACKET, start))}[]`);
      } else if (opcode === TEXT) take(data.toString("utf8", start, data[start + 1] === EVENT ? start + 2 : end));
      else if (opcode === PING) socket.write(frame(PONG, data.subarray(start, end)));
      else if (opcode === CLOSE) fail("the server closed a socket");
    });

    function readHead(chunk) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      if (!head.latin1Slice(0, 12).endsWith("101")) fail(`no websocket: ${head}`);
      socket.off("data", readHead);
      socket.on("data", read);
      if (head.length > end + 4) read(head.subarray(end + 4));
    }

    socket.on("data", readHead);
    socket.on("error", (error) => fail(`socket failed: ${error.message}`));
    socket.on("close", () => fail("a socket ended"));
    const key = randomBytes(16).toString("base64");
    socket.write(
      "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n" +
        `Connection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
  });
}

function count(answer, took) {
  if (!answer.status) {
    answers.refused[answer.error] = (answers.refused[answer.error] ?? 0) + 1;
    return;
  }
  if (answers.settled < MOST_LATENCIES) latencies[answers.settled] = took;
  answers.settled += 1;
}

const pause = (forSeconds) => new Promise((resolve) => setTimeout(resolve, forSeconds * 1000));

async function play({ warmupSeconds, seconds, everySeconds, ...order }) {
  bets = order.bets;
  answers = { settled: 0, answeredInAll: 0, refused: {} };
  [playing, spinning, everyMs] = [true, players.length, everySeconds * 1000];
  // Not all at one moment, which they would keep.
  players.forEach((spin, number) => setTimeout(spin, (everyMs * number) / players.length));
  await pause(warmupSeconds);
  const [began, used] = [performance.now(), process.cpuUsage()];
  measuring = true;
  await pause(seconds);
  [measuring, playing] = [false, false];
  const took = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(used);
  while (spinning > 0) await pause(0.02);
  const sorted = latencies.subarray(0, Math.min(answers.settled, MOST_LATENCIES)).sort();
  const quantile = (part) => sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? null;
  return {
    load: {
      per_second: answers.settled / took,
      p50: quantile(0.5),
      p99: quantile(0.99),
      answered_in_all: answers.answeredInAll,
      // How busy this tool was; near 1, it is the tool that was measured.
      busy: (user + system) / 1e6 / took,
    },
    refused: answers.refused,
  };
}

const players = [];
for (let first = 0; first < tokens.length; first += CONNECTING_AT_ONCE) {
  players.push(...(await Promise.all(tokens.slice(first, first + CONNECTING_AT_ONCE).map(join))));
}
for await (const order of orders) console.log(JSON.stringify(await play(JSON.parse(order))));
process.exit(0);
