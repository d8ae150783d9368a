// The entry point: signs the player in, connects the socket, and loads rules, logins and panels over HTTP.

import { getJson, Refused } from "./api.js";
import { BetForm } from "./bet-form.js";
import { showCases } from "./cases.js";
import { Catalogue } from "./catalogue.js";
import { createSocket, reconnect } from "./connection.js";
import { byId } from "./dom.js";
import { Game } from "./game.js";
import { showLeaderboard } from "./leaderboard.js";
import { addLiveBet, replaceLiveBets } from "./live-bets.js";
import { forgetToken, keepToken, startLogin, takeLoginError, takeToken } from "./session.js";
import { clearSpins, loadSpins } from "./spin-list.js";
import { makeTabs } from "./tabs.js";
import { Wheel } from "./wheel.js";

const UNAUTHORIZED = 401;
const SIGNED_OUT = "Your session has expired. Please sign in again.";
const RETRY_MS = 3_000;

let { token, offered } = takeToken({ trial: "trial" in document.documentElement.dataset });

const socket = createSocket({ getToken: () => token, onRefused: refused });
const form = new BetForm(() => game.refresh());
const catalogue = new Catalogue((item) => { form.item = item; });
const game = new Game({ socket, form, wheel: new Wheel(byId("wheel")), getToken: () => token, onProblem: spinRefused });

function notify(text) {
  byId("notice").textContent = text ?? "";
  byId("notice").hidden = !text;
}

function showConnection(text, isUp) {
  byId("line").textContent = text;
  byId("line-dot").classList.toggle("up", isUp);
  game.refresh();
}

function refused(reason) {
  if (reason === "Unauthorized") signOut(SIGNED_OUT);
  else showConnection(`${reason}. Trying again…`, false);
}

function spinRefused(reason) {
  // The token has expired since the socket connected.
  if (reason === "Unauthorized") signOut(SIGNED_OUT);
  if (reason === "Item price has changed" || reason === "Item not found") catalogue.show();
}

/** Become the player of a token, or a guest with null. */
function signIn(newToken) {
  token = newToken;
  if (token) keepToken(token);
  else forgetToken();
  game.reset();
  clearSpins();
  showPlayer();
  reconnect(socket);
}

function signOut(reason) {
  if (!token) return;
  signIn(null);
  notify(reason);
}

function showPlayer() {
  byId("player").hidden = !token;
  byId("spectator").hidden = Boolean(token);
  byId("spins").hidden = !token;
  if (token) loadSpins(token).catch(() => {}); // The list stays empty; the status line shows a lost connection.
}

async function loadPlayer() {
  if (!token) return;
  try {
    const player = await getJson("/auth/me", { token });
    byId("username").textContent = player.username;
    byId("level").textContent = `Level ${player.level}`;
    byId("avatar").src = player.avatar;
    form.knownToServer(player.clientSeed);
  } catch (problem) {
    if (problem instanceof Refused && problem.status === UNAUTHORIZED) signOut(SIGNED_OUT);
    else notify(`Your account could not be loaded: ${problem.message}`);
  }
}

async function loadRules() {
  try {
    form.setRules(await getJson("/upgrader/rules"));
  } catch {
    setTimeout(loadRules, RETRY_MS);
  }
}

/** Show links to the logins that this server has. */
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

/** Ask the player before a token in the address signs them in: somebody else may have made the link. */
function askAboutOffer() {
  const dialog = byId("offer");
  byId("offer-text").textContent = token
    ? "This link would sign you out and sign you in as another player."
    : "This link would sign you in.";
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "accept") signIn(offered);
  }, { once: true });
  dialog.showModal();
}

socket.on("connect", () => { showConnection("Live", true); loadPlayer(); });
socket.on("disconnect", () => showConnection("Reconnecting…", false));
socket.on("live-bets", replaceLiveBets);
socket.on("live-bets:new", addLiveBet);

byId("form").addEventListener("submit", (event) => { event.preventDefault(); game.spin(); });
byId("sign-out").addEventListener("click", () => signOut("You have signed out."));
byId("period").addEventListener("change", showLeaderboard);
for (const button of document.querySelectorAll("[data-wager]")) {
  button.addEventListener("click", () => form.changeWager(button.dataset.wager, game.balanceCents));
}
makeTabs(byId("tabs"), (id) => ({
  "items-panel": () => catalogue.show(),
  "cases-panel": showCases,
  "leaders-panel": showLeaderboard,
}[id])());

notify(takeLoginError());
if (offered) askAboutOffer();
showPlayer();
game.refresh();
loadRules();
loadLogins();
socket.connect();
