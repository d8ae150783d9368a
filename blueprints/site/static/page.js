// The page's wiring: the socket's events in, the player's spins out.

import { getJson, Refused } from "./api.js";
import { BetForm } from "./bet-form.js";
import { Catalogue } from "./catalogue.js";
import { byId, setText } from "./dom.js";
import { LiveBets } from "./live-bets.js";
import { centsOfCoins, format } from "./money.js";
import { addProof, storedSpin } from "./proofs.js";
import { forgetToken, keepToken, startLogin, takeLoginError, takeToken } from "./session.js";
import { ConnectionLost, Socket } from "./socket.js";
import { Wheel } from "./wheel.js";

const UNAUTHORIZED = 401;
const SIGNED_OUT = "Your sign-in has ended. Please sign in again.";
const RETRY_MS = 3_000;
const REMEMBERED_SPINS = 50;

let { token, offered } = takeToken({ trial: "trial" in document.documentElement.dataset });
let balanceCents = 0;
let commitment = null;
// The spin that is under way: what was asked for, then what was rolled; `turning` ends with the wheel, `over` last.
let spinning = null;

const spins = new Map(); // nonce -> a promise of the spin as it was shown, once its wheel has stopped
const wheel = new Wheel(byId("wheel"));
const form = new BetForm(refresh);
const catalogue = new Catalogue((item) => { form.item = item; });
const bets = new LiveBets(byId("bets"), byId("no-bets"));
const socket = new Socket(() => (token ? { token } : {}));

function notify(text) {
  byId("notice").textContent = text ?? "";
  byId("notice").hidden = !text;
}

/** Show chance, balance and whether a spin is possible, from what is known now. */
function refresh() {
  byId("player").hidden = !token;
  byId("spectator").hidden = Boolean(token);
  const objection = whyNot();
  setText("why-not", objection ?? "");
  byId("spin").disabled = objection !== null;
  if (spinning) return;
  // Only now: the balance that follows a spin would tell its outcome before the wheel does.
  setText("balance", format(balanceCents));
  wheel.showChance(form.chance);
  if (form.threshold) showReading("Your chance", percent(form.chance, 3), `× ${form.multiplier.toFixed(2)}`);
  else showReading("Your chance", "–", "");
}

function whyNot() {
  if (!token) return "You are watching as a guest. Sign in to spin.";
  if (spinning) return "The wheel is turning.";
  if (!socket.connected) return "There is no connection to the server at the moment.";
  if (!commitment) return "Waiting for the server to commit to its seed.";
  return form.objection(balanceCents);
}

const percent = (number, places = 5) => `${number.toFixed(places)} %`;

function showReading(label, value, note) {
  byId("reading-label").textContent = label;
  byId("reading").textContent = value;
  byId("reading-note").textContent = note;
}

function showOutcome(text, outcome = "") {
  byId("outcome").textContent = text;
  byId("outcome").dataset.outcome = outcome;
  wheel.showOutcome(outcome);
}

async function spin() {
  if (whyNot() !== null) return refresh();
  const current = { ...form.request(commitment), threshold: form.threshold, chance: form.chance };
  current.over = new Promise((end) => { current.end = end; });
  spinning = current;
  showOutcome("");
  setText("balance", format(balanceCents - form.wagerCents));
  refresh();
  const answer = await answerTo(current.request);
  await current.turning;
  spinning = null;
  refresh();
  if (answer.status) conclude(current, answer.result);
  else refuse(answer.error);
  current.end();
}

/** The server's answer, asked for again after a broken connection: the request id keeps it one spin. */
async function answerTo(request) {
  for (;;) {
    try {
      return await socket.ask("upgrader:spin", request);
    } catch (problem) {
      if (!(problem instanceof ConnectionLost)) throw problem;
      await socket.whenConnected();
    }
  }
}

function conclude(current, { success, amount, item }) {
  current.won = success;
  if (current.percent !== undefined) {
    wheel.showChance(current.chance);
    showReading("Rolled", percent(current.percent), `wins below ${percent(current.chance)}`);
  }
  if (success) showOutcome(`You won ${item}: ${format(centsOfCoins(amount))} coins.`, "won");
  else showOutcome(`Not this time: ${item} stays where it is.`, "lost");
}

function refuse(reason) {
  // The server has seen the seed of the refused spin.
  form.drawClientSeed();
  showOutcome(`The spin was refused: ${reason}.`, "refused");
  if (reason === "Item price has changed" || reason === "Item not found") catalogue.show();
}

/** The roll is known before the answer: let the wheel show it. */
function rolled(pf) {
  const current = spinning;
  // A repeated request is answered with the same roll once more.
  if (!current || current.percent !== undefined) return;
  current.percent = pf.percent;
  showReading("Rolling", "…", "");
  current.turning = wheel.spinTo(pf.percent, form.rules.proofDelay);
  spins.set(pf.nonce, current.over.then(() => ({
    commitment: current.request.serverSeedCommitment,
    clientSeed: current.request.clientSeed,
    seedIsSecret: current.seedIsSecret,
    percent: pf.percent,
    threshold: current.threshold,
    won: current.won,
  })));
  if (spins.size > REMEMBERED_SPINS) spins.delete(spins.keys().next().value);
}

async function proved(proof) {
  try {
    const shown = await (spins.get(proof.nonce) ?? storedSpin(proof.nonce, token));
    await addProof(byId("proofs"), proof, shown);
  } catch (problem) {
    notify(`Spin ${proof.nonce} could not be verified: ${problem.message}`);
  }
}

async function loadPlayer() {
  if (!token) return refresh();
  try {
    const player = await getJson("/auth/me", { token });
    byId("username").textContent = player.username;
    byId("level").textContent = `Level ${player.level}`;
    byId("avatar").src = player.avatar;
    balanceCents = centsOfCoins(player.balance);
    form.knownToServer(player.clientSeed);
  } catch (problem) {
    if (problem instanceof Refused && problem.status === UNAUTHORIZED) signOut(SIGNED_OUT);
    else notify(`Your account could not be loaded: ${problem.message}`);
  }
  refresh();
}

async function loadRules() {
  try {
    form.setRules(await getJson("/upgrader/rules"));
  } catch {
    setTimeout(loadRules, RETRY_MS);
  }
}

/** Shows links to the logins that this server has. */
async function loadLogins() {
  try {
    for (const [provider, address] of Object.entries(await getJson("/auth/providers"))) {
      const link = byId(`${provider}-login`);
      if (!link || !address) continue;
      link.href = address;
      link.addEventListener("click", startLogin);
      link.hidden = false;
    }
  } catch {
    setTimeout(loadLogins, RETRY_MS);
  }
}

function signOut(reason) {
  if (!token) return;
  token = commitment = null;
  forgetToken();
  for (const id of ["commitment", "nonce"]) byId(id).textContent = "–";
  byId("proofs").replaceChildren();
  notify(reason);
  refresh();
  socket.reconnect();
}

/** Somebody's link would sign the player in: only the player knows whether that is wanted. */
function askAboutOffer() {
  const dialog = byId("offer");
  byId("offer-text").textContent = token
    ? "This link would end your sign-in and sign you in as another player."
    : "This link would sign you in.";
  dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "accept") return;
    token = offered;
    keepToken(token);
    commitment = null;
    byId("proofs").replaceChildren();
    refresh();
    socket.reconnect();
  }, { once: true });
  dialog.showModal();
}

function showLine(text, up) {
  byId("line").textContent = text;
  byId("line-dot").classList.toggle("up", up);
  refresh();
}

socket.on("connect", () => { showLine("Live", true); loadPlayer(); });
socket.on("disconnect", () => showLine("Reconnecting…", false));
socket.on("refused", (reason) => {
  if (reason === "Unauthorized") signOut(SIGNED_OUT);
  else showLine(`${reason}. Trying again…`, false);
});
socket.on("upgrader:commitment", ({ serverSeedCommitment, nonce }) => {
  commitment = serverSeedCommitment;
  byId("commitment").textContent = serverSeedCommitment;
  byId("nonce").textContent = nonce;
  form.committed(serverSeedCommitment);
});
socket.on("balance", ({ balance }) => { balanceCents = centsOfCoins(balance); refresh(); });
socket.on("upgrader:pf", rolled);
socket.on("upgrader:proof", proved);
socket.on("live-bets", (list) => bets.replace(list));
socket.on("live-bets:new", (bet) => bets.add(bet));

byId("form").addEventListener("submit", (event) => { event.preventDefault(); spin(); });
byId("sign-out").addEventListener("click", () => signOut("You have signed out."));
document.querySelectorAll("[data-wager]").forEach((button) => button.addEventListener("click", () => {
  const wager = form.wagerCents ?? 0;
  const most = Math.min(balanceCents, form.rules ? form.maxCents : balanceCents);
  form.setWager({ half: Math.ceil(wager / 2), double: wager * 2, most }[button.dataset.wager]);
}));

notify(takeLoginError());
if (offered) askAboutOffer();
refresh();
loadRules();
loadLogins();
catalogue.show();
socket.connect();
