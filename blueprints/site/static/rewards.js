// What the house gives the player: the answer of GET /rewards, which the event `rewards:changed` brings anew.

import { getOwn } from "./api.js";
import { socket } from "./connection.js";
import { html, nothing } from "./lit.js";
import { Resource } from "./parts/lists.js";
import { getToken } from "./session.js";

export const rewards = new Resource(async (signal) => (await getOwn("/rewards", { signal })).data);

export function followRewards() {
  // An event may have been lost with the connection.
  socket.on("connect", () => { if (getToken()) rewards.load(); });
  addEventListener("level", () => rewards.load());
  socket.on("rewards:changed", (data) => { if (getToken()) rewards.set(data); });
}

/** Everything but the rakeback, as one list. */
const others = () => {
  const { levels = [], daily, granted = [] } = rewards.value ?? {};
  return [...levels, daily, ...granted].filter(Boolean);
};

export const isOffered = ({ state }) => state === "offered";

/** Whether the rakeback is at least a cent, and the last claim an hour ago. */
export const isClaimable = ({ available, claimableAt }) => available > 0 && !(claimableAt > Date.now());

/** The free opening of a case by its id; undefined when it is not offered, or not any more. */
export const freeOpening = (id, caseId) =>
  others().find((reward) => reward.id === id && reward.case === caseId && isOffered(reward));

/** The address at which a reward with a case is opened. */
export const addressOfOpening = (reward) =>
  `/cases/${encodeURIComponent(reward.case)}?${new URLSearchParams({ reward: reward.id })}`;

/** A mark beside the link to the page while there is something to claim or to open. */
export function waitingMark() {
  const { rakeback } = rewards.value ?? {};
  const isWaiting = (rakeback && isClaimable(rakeback)) || others().some(isOffered);
  return isWaiting ? html`<span class="waiting"><span class="unseen"> (something to claim)</span></span>` : nothing;
}
