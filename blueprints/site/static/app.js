// The entry point: signs the player in, connects the socket, and opens the page of the address.

import { getJson, sendJson } from "./api.js";
import { reconnect, socket } from "./connection.js";
import { loadBets, onSeenInOtherTab } from "./fairness/bet-list.js";
import { interruptedAttempt, resetBetting, startBetting } from "./game/betting.js";
import { addressOf, resetGame, send } from "./game/game.js";
import { html, render } from "./lit.js";
import { askForCode, closeDialogs, openDialog } from "./parts/forms.js";
import { followLiveBets, followOnline } from "./parts/live-bets.js";
import { followRealityChecks } from "./parts/reality-check.js";
import { loadPlayer, notifications } from "./player.js";
import { followRewards } from "./rewards.js";
import { current, enter, startRouter } from "./router.js";
import { followOtherTabs, getToken, isTrial, setToken, takeLogin } from "./session.js";
import { shell } from "./shell.js";
import { drawWith, notify, state, update } from "./store.js";

const UNAUTHORIZED = 401;
const RETRY_MS = 3_000;

const { say, challenge, offered } = takeLogin({ trial: isTrial });

async function showSession() {
  const focused = document.activeElement;
  // What was asked of the player before must not be answered as another one.
  closeDialogs();
  document.getElementById("account")?.hidePopover();
  notify("");
  update({ player: null, bets: [] });
  resetBetting();
  resetGame();
  enter();
  showBets();
  reconnect();
  await update();
  // For example the button to sign out is gone, and the focus with it.
  if (!focused.isConnected) document.querySelector("#spectator a, #page-title").focus();
}

function loadAccount() {
  loadPlayer();
  if (getToken()) notifications.load();
}

/** List the player's bets, and go on with the one that was in progress when this tab was reloaded. */
function showBets() {
  listBets();
  const attempt = state.bet ? null : interruptedAttempt();
  if (attempt) send(attempt);
}

function listBets() {
  // After a failure the list stays as it is; the status line shows a lost connection.
  if (getToken()) loadBets().catch(() => {});
}

/** Load a value of the state, again until it succeeds. */
async function load(name, path) {
  try {
    update({ [name]: await getJson(path) });
  } catch {
    setTimeout(load, RETRY_MS, name, path);
  }
}

/** Ask the player before a token in the address signs them in: somebody else may have made the link. */
async function askAboutOffer() {
  const accepted = await openDialog({
    id: "offer",
    title: "Sign in with this link?",
    content: html`
      <p>${getToken() ? "This link would sign you out and sign you in as another player."
        : "This link would sign you in."}</p>
      <p>If you did not request this link, cancel: coins that you win would go to somebody else's account.</p>`,
    accept: "Sign in",
  });
  if (accepted) setToken(offered);
}

/** Finish a login for which the server wants a two-factor code. */
async function finishLogin() {
  try {
    const { token } = await askForCode({
      title: "Enter a code to sign in",
      text: "Your account is protected by two-factor authentication.",
      accept: "Sign in",
      send: (code) => sendJson("POST", "/auth/two-factor", { challenge, code }),
    });
    setToken(token);
  } catch (problem) {
    const isOver = problem.status === UNAUTHORIZED;
    notify(isOver ? "This sign-in has expired. Please sign in again." : `You are not signed in: ${problem.message}.`);
  }
}

drawWith(() => render(shell(), document.getElementById("page")));
addEventListener("session", showSession);
followOtherTabs();
onSeenInOtherTab(listBets);
socket.on("connect", loadAccount);
socket.on("logins:changed", loadAccount);
socket.on("payments:address-added", ({ name }) => {
  notifications.load();
  if (current.route.module !== "cashier") notify(`The address “${name}” was added to withdraw to. Was it you?`);
});
startBetting(send);
followLiveBets();
followOnline();
followRealityChecks();
followRewards();

notify(say);
if (challenge) finishLogin();
else if (offered) askAboutOffer();
const interrupted = interruptedAttempt();
if (interrupted && current.route.isGame) history.replaceState(null, "", addressOf(interrupted));
startRouter();
showBets();
load("rules", "/upgrader/rules");
load("logins", "/auth/providers");
socket.connect();
