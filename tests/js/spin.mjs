// One player, one spin, told as JSON: node spin.mjs ADDRESS TOKEN TRANSPORT ITEM AMOUNT
import { io } from "socket.io-client";
import { verify } from "../../verify/verify.mjs";

const [address, token, transport, item, amount] = process.argv.slice(2);
const socket = io(address, { auth: { token }, transports: [transport], reconnection: false });
const events = [];
socket.onAny((name, payload) => events.push({ name, payload }));
socket.on("connect_error", (error) => {
  console.log(JSON.stringify({ refused: error.message }));
  process.exit(0);
});
const next = (name) => new Promise((resolve) => socket.once(name, resolve));

const commitment = await next("upgrader:commitment");
const followed = next("upgrader:commitment");
const proven = next("upgrader:proof");
const answer = await socket.emitWithAck("upgrader:spin", {
  amount: Number(amount),
  item,
  clientSeed: "fresh-from-node",
  serverSeedCommitment: commitment.serverSeedCommitment,
});
const eventsAtAnswer = events.map(({ name }) => name);
const following = await followed;
const proof = await proven;
const verified = await verify({ ...proof, nonce: String(proof.nonce) });
console.log(
  JSON.stringify({
    commitment,
    answer,
    eventsAtAnswer,
    following,
    proof,
    roll: verified.roll,
    percent: verified.percent,
    hashes: verified.serverSeedCommitment === commitment.serverSeedCommitment,
    transport: socket.io.engine.transport.name,
    events: events.map(({ name, payload }) => [name, payload]),
  }),
);
socket.disconnect();
