// Asks a server as fast as it answers, over connections that are kept. Reads {port, requests, connections,
// warmupSeconds, seconds} from standard input: the requests are whole texts, sent in turn. Tells how many were
// answered after the warm-up, by status, and how long they took.
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const { port, requests, connections, warmupSeconds, seconds } = JSON.parse(readFileSync(0, "utf8"));
const MOST_LATENCIES = 4_000_000;
const READ_BYTES = 1024 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");
const READY = requests.map((text) => Buffer.from(text, "latin1"));
// One for all connections: what is in it has been counted before the next one reads.
const buffer = Buffer.allocUnsafe(READ_BYTES);
const latencies = new Float64Array(MOST_LATENCIES);
const statuses = {};
let [turn, answered, answeredInAll, measuring, ended] = [0, 0, 0, false, false];

function fail(why) {
  console.error(why);
  process.exit(1);
}

function open() {
  let [head, left, status, asked] = [null, 0, 0, 0];

  function ask() {
    asked = performance.now();
    socket.write(READY[turn++ % READY.length]);
  }

  function take(size) {
    if (left === 0) return takeHead(size);
    left -= size;
    if (left === 0) finish();
    if (left < 0) fail("more bytes than the Content-Length says");
    return true;
  }

  function takeHead(size) {
    let chunk = buffer.subarray(0, size);
    if (head !== null) chunk = Buffer.concat([head, chunk]);
    const end = chunk.indexOf(HEAD_END);
    if (end < 0) {
      head = Buffer.from(chunk);
      return true;
    }
    head = null;
    const text = chunk.latin1Slice(0, end);
    status = Number(text.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(text);
    if (length === null && status !== 304) fail(`an answer without Content-Length:\n${text}`);
    left = (length === null ? 0 : Number(length[1])) - (chunk.length - end - HEAD_END.length);
    if (left === 0) finish();
    if (left < 0) fail("more bytes than the Content-Length says");
    return true;
  }

  function finish() {
    answeredInAll += 1;
    if (measuring) {
      if (answered < MOST_LATENCIES) latencies[answered] = performance.now() - asked;
      answered += 1;
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    if (!ended) ask();
  }

  const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread: { buffer, callback: take } });
  socket.once("connect", ask);
  socket.once("error", (error) => fail(`connection failed: ${error.message}`));
  socket.once("close", () => ended || fail("the server closed a connection"));
  return socket;
}

const sockets = Array.from({ length: connections }, open);
const pause = (forSeconds) => new Promise((resolve) => setTimeout(resolve, forSeconds * 1000));
await pause(warmupSeconds);
const [began, used] = [performance.now(), process.cpuUsage()];
measuring = true;
await pause(seconds);
measuring = false;
ended = true;
const took = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(used);
for (const socket of sockets) socket.destroy();

const sorted = latencies.subarray(0, Math.min(answered, MOST_LATENCIES)).sort();
const quantile = (part) => sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? null;
console.log(
  JSON.stringify({
    load: {
      per_second: answered / took,
      p50: quantile(0.5),
      p99: quantile(0.99),
      answered_in_all: answeredInAll,
      // How busy this tool was; near 1, it is the tool that was measured.
      busy: (user + system) / 1e6 / took,
    },
    statuses,
  }),
);
process.exit(0);
