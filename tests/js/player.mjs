// One player's socket, steered by lines on standard input: node player.mjs ADDRESS TOKEN TRANSPORT
// A line is "disconnect", "connect", or the payload of a spin, as JSON. Every event is printed as [name, payload].
import { createInterface } from "node:readline";
import { io } from "socket.io-client";

const [address, token, transport] = process.argv.slice(2);
const socket = io(address, { auth: { token }, transports: [transport], reconnection: false });
const print = (...event) => console.log(JSON.stringify(event));

socket.on("connect", () => print("connect"));
socket.on("disconnect", (reason) => print("disconnect", reason));
socket.onAny((name, payload) => print(name, payload));
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  if (order === "disconnect") socket.disconnect();
  else if (order === "connect") socket.connect();
  else socket.emit("upgrader:spin", order);
}
process.exit(0);
