// A player whose sessions are ended, told as JSON: node session.mjs ADDRESS TOKEN TRANSPORT ITEM
import { io } from "socket.io-client";

const [address, token, transport, item] = process.argv.slice(2);
const socket = io(address, { auth: { token }, transports: [transport], reconnection: false });
const connected = new Promise((resolve) => socket.once("balance", resolve));
const spin = () => socket.emitWithAck("upgrader:spin", { amount: 0.1, item });
await connected;
const headers = { Authorization: `Bearer ${token}` };
const before = await spin();
const loggedOut = await fetch(`${address}/auth/logout-all`, { method: "POST", headers });
const after = await spin();
console.log(
  JSON.stringify({ before: before.status, status: loggedOut.status, after, connected: socket.connected }),
);
socket.disconnect();
