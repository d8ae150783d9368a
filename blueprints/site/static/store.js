// The state of the player and of the page, and the only place where it is kept. Requests and events of the socket
// change it with `update`, and the page is drawn from it.

/** What is not set here belongs to one page, which keeps it in an object of its own. */
export const state = {
  player: null, // /auth/me; null for a guest, and until it is loaded
  rules: null, // /upgrader/rules
  logins: {}, // /auth/providers
  line: "Connecting…", // the connection in words
  isLive: false,
  notice: null, // { text, about }, `about` being "account", "service" or "connection" when it ends once that is there
  balanceCents: 0,
  balanceVersion: -1, // below 0 before the balance has arrived
  shownNonce: null, // of the last bet whose outcome this tab has shown
  announced: null, // the commitment to the next bet, { serverSeedCommitment, nonce }
  clientSeed: "",
  bet: null, // the bet in progress, { attempt, game }
  fairness: "", // the verdict on the newest bet
  outcome: { text: "", kind: "" }, // of the last bet (showOutcome)
  item: null, // the item to win, with its priceCents
  wager: "1.00", // as it is typed
  bets: [], // the player's newest bets with their proofs (fairness/bet-list.js)
  liveBets: [], // of all players
  online: null, // how many players and guests are connected; null until it is known
};

let draw = () => {};
let drawing = null;

/** Change the state, and draw the page once when all that happens at this moment is done. Resolves when it is drawn. */
export function update(patch = {}) {
  Object.assign(state, patch);
  drawing ??= Promise.resolve().then(() => {
    drawing = null;
    draw();
  });
  return drawing;
}

export function drawWith(render) {
  draw = render;
}

/** Show how a bet ended: `kind` is "won", "lost" or "refused", or empty while there is none. */
export const showOutcome = (text = "", kind = "") => update({ outcome: { text, kind } });

/** Show a notice above the page, or none. */
export const notify = (text, about = "") => update({ notice: text ? { text, about } : null });

export const endNotice = (about) => { if (state.notice?.about === about) notify(null); };
