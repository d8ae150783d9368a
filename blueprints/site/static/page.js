// The entry point: signs the player in, connects the socket, and loads rules, logins and panels over HTTP.

import { Account } from "./account.js";
import { getJson, getOwn, sendJson } from "./api.js";
import { BetForm } from "./bet-form.js";
import { clearBets, loadBets } from "./bet-list.js";
import { Betting } from "./betting.js";
import { accessTo } from "./case-access.js";
import { CaseOpening } from "./case-opening.js";
import { Cases } from "./cases.js";
import { followPayments, resetCashier, showCashier } from "./cashier.js";
import { Catalogue } from "./catalogue.js";
import { ClientSeed } from "./client-seed.js";
import { createSocket, reconnect } from "./connection.js";
import { bringIntoView, byId, enableSkipLinks, openDialog, setContent } from "./dom.js";
import { claimEarnings, showEarnings } from "./earnings.js";
import { Game, showOutcome } from "./game.js";
import { showLeaderboard } from "./leaderboard.js";
import { addLiveBet, replaceLiveBets } from "./live-bets.js";
import { showPrizes } from "./prizes.js";
import { askForPromoCode } from "./promo-code.js";
import { showRealityChecks } from "./reality-check.js";
import { Reel } from "./reel.js";
import { onSeenInOtherTab } from "./seen-bets.js";
import {
  followOtherTabs, getToken, setToken, startLogin, takeChallenge, takeLoginError, takeToken,
} from "./session.js";
import { makeTabs } from "./tabs.js";
import { askForCode } from "./two-factor-prompt.js";
import { Upgrader } from "./upgrader.js";
import { Wheel } from "./wheel.js";

const UNAUTHORIZED = 401;
const SIGNED_OUT = "Your session has expired. Please sign in again.";
const SUSPENDED = "Your account is suspended: you can't play. Please contact support.";
const UNAVAILABLE = "The service is temporarily unavailable. This page tries again by itself.";
const RETRY_MS = 3_000;

const offered = takeToken({ trial: "trial" in document.documentElement.dataset });

// `/auth/me`; null for a guest, and until it is loaded.
let player = null;

const changed = () => game.refresh();
const getAccess = (shown) => accessTo(shown, player, form.rules);

const socket = createSocket(refused);
const seed = new ClientSeed((value) => { byId("client-seed").value = value; });
const form = new BetForm(changed);
const betting = new Betting({ socket, seed, changed, resume: (attempt) => game.send(attempt) });
const upgrader = new Upgrader({ form, wheel: new Wheel(byId("wheel")) });
const opening = new CaseOpening({
  reel: new Reel(byId("reel")),
  getRules: () => form.rules,
  getAccess,
  onPrize: () => showPrizes(1),
});
const game = new Game({
  betting,
  game: upgrader,
  gameOf: (attempt) => (attempt.game === "upgrader" ? upgrader : opening),
  onRefused: betRefused,
});
const account = new Account(() => signOut("You have been logged out everywhere."));
const cases = new Cases({ chosen: chooseCase, getAccess });
const catalogue = new Catalogue({
  chosen: (item) => { form.item = item; game.select(upgrader); },
  reloaded: (item) => { form.item = item; },
});

/** Show a notice; `about` is "account" or "service" when it is over once that is loaded or available. */
function notify(text, about = "") {
  byId("notice").textContent = text ?? "";
  byId("notice").hidden = !text;
  byId("notice").dataset.about = about;
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

function betRefused(reason) {
  // The token has expired since the socket connected.
  if (reason === "Unauthorized") signOut(SIGNED_OUT);
  if (reason === "Item price has changed" || reason === "Item not found") catalogue.refresh();
}

async function chooseCase(chosen) {
  if (betting.inProgress) return;
  loadPlayer(); // The level may have grown.
  try {
    if (!(await opening.choose(chosen))) return;
    game.select(opening);
    game.reset();
    // On a small screen the reel is far above the cases.
    bringIntoView(opening.stage);
  } catch (problem) {
    showOutcome(`The case could not be loaded: ${problem.message}.`, "refused");
    bringIntoView(byId("outcome"));
  }
}

/** Become the player of a token, or a guest with null, in all tabs. */
function signIn(token) {
  setToken(token);
  showSession();
}

/** Show the page anew for the player of the token. */
function showSession() {
  // What was asked of the player before must not be answered as another one.
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  byId("account").togglePopover(false);
  notify("");
  setPlayer(null);
  betting.reset();
  game.reset();
  clearBets();
  showPrizes(1);
  account.reset();
  resetCashier();
  if (!byId("log-panel").hidden) showLog();
  showPlayer();
  resumeBet();
  reconnect(socket);
}

function signOut(reason) {
  if (!getToken()) return;
  signIn(null);
  notify(reason);
}

function showPlayer() {
  const isPlayer = getToken() !== null;
  byId("player").hidden = !isPlayer;
  byId("spectator").hidden = isPlayer;
  byId("played").hidden = !isPlayer;
  listBets();
}

/** List the player's bets that the server has stored. */
function listBets() {
  // After a failure the list stays as it is; the status line shows a lost connection.
  if (getToken()) loadBets().catch(() => {});
}

/** Remember the player, and show which cases they may open. */
function setPlayer(loaded) {
  player = loaded;
  cases.refresh();
  changed();
}

/** Go on with the bet that was in progress when this tab was reloaded. */
function resumeBet() {
  if (betting.interrupted && !betting.inProgress) game.send(betting.interrupted);
}

async function loadPlayer() {
  const owner = getToken();
  if (!owner) return;
  try {
    setPlayer(await getOwn("/auth/me"));
    byId("username").textContent = player.username;
    byId("level").textContent = `Level ${player.level}`;
    byId("avatar").src = player.avatar;
    seed.knownToServer(player.clientSeed);
    if (byId("notice").dataset.about === "account") notify("");
  } catch (problem) {
    if (problem.status === UNAUTHORIZED || getToken() !== owner) return;
    const isSuspended = problem.message === "Account suspended";
    notify(isSuspended ? SUSPENDED : `Your account could not be loaded: ${problem.message}`, "account");
  }
}

/** Few players look at the log, so its modules are loaded when it is opened. */
const showLog = () => import("./public-log.js").then((log) => log.showLog(), () => {
  setContent("log-note", "The log could not be loaded.");
});

/** Call a function until it succeeds. */
const untilDone = (load) => load().catch(() => setTimeout(untilDone, RETRY_MS, load));

async function loadRules() {
  form.setRules(await getJson("/upgrader/rules"));
  cases.refresh();
}

/** Show links to the logins that this server has. */
async function loadLogins() {
  for (const [provider, address] of Object.entries(await getJson("/auth/providers"))) {
    const link = byId(`${provider}-login`);
    if (!link || !address) continue;
    link.href = address;
    link.addEventListener("click", startLogin);
    link.hidden = false;
  }
}

/** Ask the player before a token in the address signs them in: somebody else may have made the link. */
async function askAboutOffer() {
  byId("offer-text").textContent = getToken()
    ? "This link would sign you out and sign you in as another player."
    : "This link would sign you in.";
  if ((await openDialog("offer")) === "accept") signIn(offered);
}

/** Finish a login for which the server wants a two-factor code. */
async function finishLogin(challenge) {
  try {
    const { token } = await askForCode({
      title: "Enter a code to sign in",
      text: "Your account is protected by two-factor authentication.",
      accept: "Sign in",
      send: (code) => sendJson("POST", "/auth/two-factor", { challenge, code }),
    });
    signIn(token);
  } catch (problem) {
    const isOver = problem.status === UNAUTHORIZED;
    notify(isOver ? "This sign-in has expired. Please sign in again." : `You are not signed in: ${problem.message}.`);
  }
}

followOtherTabs(() => {
  showSession();
  notify(getToken() ? "You have signed in as this player in another tab." : "You were signed out in another tab.");
});
onSeenInOtherTab(listBets);
addEventListener("service", ({ detail: isFailing }) => {
  if (isFailing) notify(UNAVAILABLE, "service");
  else if (byId("notice").dataset.about === "service") notify("");
});
addEventListener("token-refused", () => signOut(SIGNED_OUT));
socket.on("connect", () => { showConnection("Live", true); loadPlayer(); });
socket.on("disconnect", () => showConnection("Reconnecting…", false));
socket.on("live-bets", replaceLiveBets);
socket.on("live-bets:new", addLiveBet);

byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  await game.play();
  if (byId("game").dataset.view === opening.view) loadPlayer(); // The level may have grown, and the free case be used.
  if (!byId("account-panel").hidden) account.show();
});
byId("client-seed").addEventListener("input", ({ target }) => { seed.type(target.value); changed(); });
byId("fresh").addEventListener("click", () => { seed.draw(); changed(); });
byId("to-wheel").addEventListener("click", () => { game.select(upgrader); byId("wager").focus(); });
byId("account").addEventListener("toggle", ({ newState }) => {
  if (newState !== "open") return;
  loadPlayer(); // The level may have grown.
  showEarnings();
});
byId("enter-promo-code").addEventListener("click", async () => {
  const message = await askForPromoCode();
  if (!message) return;
  await loadPlayer();
  showOutcome(message);
});
for (const [id, panel] of [["to-account", "account-panel"], ["to-cashier", "cashier-panel"]]) {
  byId(id).addEventListener("click", () => {
    byId("account").hidePopover();
    openTab(panel);
  });
}
byId("to-deposit-limits").addEventListener("click", () => openAccount("#deposit-limits button"));
document.querySelector("[popovertarget=account]").addEventListener("click", () => setContent("claim-said", ""));
byId("claim").addEventListener("click", async () => {
  await claimEarnings();
  byId("account").togglePopover(true); // The dialog that asks for a code has closed the menu.
});
byId("sign-out").addEventListener("click", () => signOut("You have signed out."));
byId("period").addEventListener("change", () => showLeaderboard(player));
enableSkipLinks("game");
for (const button of document.querySelectorAll("[data-wager]")) {
  button.addEventListener("click", () => form.changeWager(button.dataset.wager, betting.balanceCents));
}
const openTab = makeTabs(byId("tabs"), (id) => ({
  "items-panel": () => catalogue.show(),
  "cases-panel": () => { loadPlayer(); cases.show(); },
  "prizes-panel": () => showPrizes(),
  "cashier-panel": () => showCashier(),
  "leaders-panel": () => showLeaderboard(player),
  "account-panel": () => account.show(),
  "log-panel": () => showLog(),
}[id])());

followPayments(socket);
showRealityChecks(socket, () => openAccount("#break-duration"));

/** Open the account at the element that a selector matches. */
async function openAccount(selector) {
  openTab("account-panel");
  await account.show();
  document.querySelector(selector)?.focus();
}

notify(takeLoginError());
const challenge = takeChallenge();
if (challenge) finishLogin(challenge);
else if (offered) askAboutOffer();
betting.reset();
showPlayer();
game.refresh();
resumeBet();
untilDone(loadRules);
untilDone(loadLogins);
socket.connect();
