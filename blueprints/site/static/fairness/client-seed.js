// The client seed of the next bet (`clientSeed` of the store), and whether the server could have known it when it
// committed to its own. There is a new seed for each commitment, unless the player has typed one: that one counts for
// one bet.

import { state, update } from "../store.js";
import { freshClientSeed, isClientSeed } from "./seeds.js";

const SENT_KEY = "sent-client-seeds";
const MOST_SENT = 1_000;

let isTyped = false;
let commitment = null;
// The commitment that had arrived when the seed was chosen.
let chosenAfter = null;
// Every seed that this browser has sent, and that of the player's profile.
const known = new Set(JSON.parse(localStorage.getItem(SENT_KEY) ?? "[]"));

function choose(value, typed = false) {
  isTyped = typed;
  chosenAfter = commitment;
  update({ clientSeed: value });
}

/** A commitment has arrived. */
export function seedCommitted(next) {
  if (next === commitment) return;
  commitment = next;
  if (!isTyped) drawSeed();
}

/** Choose a new seed at random. */
export const drawSeed = () => choose(freshClientSeed());

/** Show the seed of a bet that has to be sent again. */
export const showSeed = (value) => choose(value);

/** Take what the player typed. An empty field is filled again with the next commitment. */
export const typeSeed = (value) => choose(value, value !== "");

/** Record that the server has this seed. */
export const seedKnownToServer = (value) => known.add(value);

/**
 * Record that the seed is sent. Returns whether the server can't have known it at this commitment, or null if the
 * browser can't store it.
 */
export function sendSeed(announced) {
  const { clientSeed } = state;
  const isSecret = chosenAfter === announced && !known.has(clientSeed);
  try {
    localStorage.setItem(SENT_KEY, JSON.stringify([...known, clientSeed].slice(-MOST_SENT)));
  } catch {
    return null;
  }
  known.add(clientSeed);
  isTyped = false;
  return isSecret;
}

/** Why the server would refuse this seed, in words; null when it would accept it. */
export const seedObjection = () =>
  isClientSeed(state.clientSeed) ? null : "The client seed must have 4 to 64 letters, digits, - or _.";
