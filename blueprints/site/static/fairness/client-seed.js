// The client seed of the next bet (`clientSeed` of the store), and whether the server could have known it when it
// committed to its own. There is a new seed for each commitment, unless the player has typed one: that one counts for
// one bet.

import { state, update } from "../store.js";
import { store } from "./attempts.js";
import { hexOf, isClientSeed } from "./rolls.js";

const SENT_KEY = "sent-client-seeds";
const MOST_SENT = 1_000;

let isTyped = false;
// The commitment that had arrived when the seed was chosen.
let chosenAfter;
// Every seed that this browser has sent, and that of the player's profile.
const known = new Set(JSON.parse(localStorage.getItem(SENT_KEY) ?? "[]"));

/** Show the seed of a bet that has to be sent again. */
export function showSeed(clientSeed) {
  isTyped = false;
  chosenAfter = state.announced?.serverSeedCommitment;
  update({ clientSeed });
}

export const randomHex = (bytes) => hexOf(crypto.getRandomValues(new Uint8Array(bytes)));
export const drawSeed = () => showSeed(randomHex(10));
export const seedCommitted = () => { if (!isTyped) drawSeed(); };
export const seedKnownToServer = (value) => known.add(value);

/** Take what the player typed. An empty field is filled again with the next commitment. */
export function typeSeed(value) {
  showSeed(value);
  isTyped = value !== "";
}

/**
 * Record that the seed is sent. Returns whether the server can't have known it at this commitment, or null if the
 * browser can't store it.
 */
export function sendSeed() {
  const { clientSeed, announced } = state;
  const isSecret = chosenAfter === announced.serverSeedCommitment && !known.has(clientSeed);
  if (!store(SENT_KEY, [...known, clientSeed].slice(-MOST_SENT))) return null;
  known.add(clientSeed);
  isTyped = false;
  return isSecret;
}

/** Why the server would refuse this seed, in words; null when it would accept it. */
export const seedObjection = () =>
  isClientSeed(state.clientSeed) ? null : "The client seed must have 4 to 64 letters, digits, - or _.";
