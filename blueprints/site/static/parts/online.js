// How many players and guests are connected.

import { getJson } from "../api.js";
import { socket } from "../connection.js";
import { html, nothing } from "../lit.js";
import { state, update } from "../store.js";

const EVERY_MS = 30_000;

async function load() {
  if (document.hidden) return;
  const { online } = await getJson("/stats/online").catch(() => ({ online: null }));
  // The answer may be some seconds old, from before this page was connected.
  update({ online: online === null ? null : Math.max(online, 1) });
}

/** Keep the number up to date while the page is visible. */
export function followOnline() {
  socket.on("connect", load); // This page is one of them.
  setInterval(load, EVERY_MS);
  document.addEventListener("visibilitychange", load);
}

export const online = () => (state.online
  ? html`<p id="online" class="online">${state.online}<span> online</span></p>` : nothing);
