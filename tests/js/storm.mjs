// Many players at once, each from two sockets, as fast as they are answered. Reads
// {address, tokens, item, amount, spinsPerSocket} from standard input, tells what each was answered.
import { readFileSync } from "node:fs";
import { io } from "socket.io-client";

const { address, tokens, item, amount, spinsPerSocket } = JSON.parse(readFileSync(0, "utf8"));

function open(token) {
  const socket = io(address, { auth: { token }, transports: ["websocket"], forceNew: true, reconnection: false });
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(socket));
    socket.once("connect_error", reject);
  });
}

async function play(sockets) {
  const told = { nonces: [], won: 0, lost: 0, refused: {}, paid: 0 };
  for (const socket of sockets) socket.on("upgrader:pf", ({ nonce }) => told.nonces.push(nonce));
  await Promise.all(
    sockets.map(async (socket) => {
      for (let spin = 0; spin < spinsPerSocket; spin++) {
        const answer = await socket.timeout(60_000).emitWithAck("upgrader:spin", { amount, item });
        if (!answer.status) told.refused[answer.error] = (told.refused[answer.error] ?? 0) + 1;
        else if (answer.result.success) told.won += 1;
        else told.lost += 1;
        if (answer.status) told.paid += answer.result.amount;
      }
    }),
  );
  for (const socket of sockets) socket.disconnect();
  return told;
}

const opened = await Promise.all(tokens.map((token) => Promise.all([open(token), open(token)])));
console.log(JSON.stringify(await Promise.all(opened.map(play))));
