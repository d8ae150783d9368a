// What a player does with battles: create one, take a seat, leave it, call a bot. A request for a seat has a request id
// and a client seed of its own, which stay the same until the server has answered: sending it twice is harmless. All of
// them resolve with the battle as the server sends it.

import { getJson, getOwn, sendJson, Unanswered } from "../api.js";
import { keepSeat } from "../fairness/battle-seats.js";
import { randomHex } from "../fairness/client-seed.js";
import { coinsOfCents } from "../format.js";
import { explainRefusal } from "../game/refusals.js";
import { playerId } from "../session.js";

const pending = new Map(); // what was sent without an answer, by what it is about

/** The rules of battles: `GET /battles/rules`. */
export const loadRules = () => getJson("/battles/rules");

const pathOf = (id, action = "") => `/battles/${encodeURIComponent(id)}${action}`;

/** Send what takes a seat, with the request id and the seed of the last try if that was not answered. */
async function takeSeat(noun, path, content) {
  const about = `${playerId()} ${path} ${JSON.stringify(content)}`;
  if (!pending.has(about)) pending.set(about, { requestId: randomHex(16), clientSeed: randomHex(10) });
  const own = pending.get(about);
  try {
    const battle = await sendJson("POST", path, { ...content, ...own });
    pending.delete(about);
    keepSeat(battle.id, { known: lockOf(battle, { seat: content.seat ?? 0, clientSeed: own.clientSeed }) });
    return battle;
  } catch (problem) {
    if (!(problem instanceof Unanswered)) pending.delete(about);
    throw explained(problem, noun);
  }
}

/** What the lock of a battle in the public log must say. */
const lockOf = ({ serverSeedCommitment, cases, mode, crazy, terminal, playersOnly, teams }, seat) =>
  ({
    cases: cases.map(({ snapshot }) => snapshot), serverSeedCommitment, mode, crazy, terminal, playersOnly, teams,
    ...seat,
  });

/** A refusal of what is called `noun`, in words that contain the server's. */
function explained(problem, noun) {
  if (problem.answer?.error) problem.message = explainRefusal(noun, problem.answer).replace(/\.$/, "");
  return problem;
}

/** `cases` are pairs `{ case, count }`. */
export const createBattle = ({ costCents, ...settings }) =>
  takeSeat("battle", "/battles", { ...settings, price: coinsOfCents(costCents) });

export const joinBattle = ({ id, costCents }, seat) =>
  takeSeat("seat", pathOf(id, "/join"), { seat, price: coinsOfCents(costCents) });

const act = (noun, path, content) =>
  sendJson("POST", path, content).catch((problem) => { throw explained(problem, noun); });

export const leaveBattle = ({ id }) => act("request", pathOf(id, "/leave"));

export const callBot = ({ id }, seat) => act("bot", pathOf(id, "/bots"), { seat });

/** The player's receipt again, which arrived when this browser was not connected. */
export const loadReceipt = (id) => getOwn(pathOf(id, "/receipt"));
