// The entry point: signs the player in, connects the socket, and opens the page of the address.

import { getJson, sendJson } from "./api.js";
import { reconnect, socket } from "./connection.js";
import { loadBets } from "./fairness/bet-list.js";
import { onSeenInOtherTab } from "./fairness/seen-bets.js";
import { interruptedAttempt, resetBetting, startBetting } from "./game/betting.js";
import { addressOf, resetGame, send } from "./game/game.js";
import { html, render } from "./lit.js";
import { closeDialogs, openDialog } from "./parts/dialog.js";
import { followLiveBets } from "./parts/live-bets.js";
import { notifications } from "./parts/notifications.js";
import { followOnline } from "./parts/online.js";
import { followRealityChecks } from "./parts/reality-check.js";
import { askForCode } from "./parts/two-factor.js";
import { loadPlayer } from "./player.js";
import { current, enter, startRouter } from "./router.js";
import { followOtherTabs, getToken, setToken, takeChallenge, takeLoginError, takeToken } from "./session.js";
import { shell } from "./shell.js";
import { drawWith, endNotice, notify, state, update } from "./store.js";

const UNAUTHORIZED = 401;
const SIGNED_OUT = "Your session has expired. Please sign in again.";
const UNAVAILABLE = "The service is temporarily unavailable. This page tries again by itself.";
const RETRY_MS = 3_000;

const offered = takeToken({ trial: "trial" in document.documentElement.dataset });
const challenge = takeChallenge();
const loginError = takeLoginError();

/** Show the page anew for the player of the token. */
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
  listBets();
  resumeBet();
  reconnect();
  await update();
  // For example the button to sign out is gone, and the focus with it.
  if (!focused.isConnected) document.querySelector("#spectator a, #page-title").focus();
}

/** List the player's bets that the server has stored. */
function listBets() {
  // After a failure the list stays as it is; the status line shows a lost connection.
  if (getToken()) loadBets().catch(() => {});
}

/** Go on with the bet that was in progress when this tab was reloaded. */
function resumeBet() {
  const attempt = state.bet ? null : interruptedAttempt();
  if (attempt) send(attempt);
}

/** Call a function until it succeeds. */
const untilDone = (load) => load().catch(() => setTimeout(untilDone, RETRY_MS, load));

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
followOtherTabs(() =>
  notify(getToken() ? "You have signed in as this player in another tab." : "You were signed out in another tab."));
addEventListener("token-refused", () => {
  if (!getToken()) return;
  setToken(null);
  notify(SIGNED_OUT);
});
addEventListener("service", ({ detail: isFailing }) => {
  if (isFailing) notify(UNAVAILABLE, "service");
  else endNotice("service");
});
onSeenInOtherTab(listBets);
socket.on("connect", () => {
  loadPlayer();
  if (getToken()) notifications.load();
});
startBetting(send);
followLiveBets();
followOnline();
followRealityChecks();

notify(loginError);
if (challenge) finishLogin();
else if (offered) askAboutOffer();
const interrupted = interruptedAttempt();
if (interrupted && current.route.isGame) history.replaceState(null, "", addressOf(interrupted));
startRouter();
listBets();
resumeBet();
untilDone(async () => update({ rules: await getJson("/upgrader/rules") }));
untilDone(async () => update({ logins: await getJson("/auth/providers") }));
socket.connect();
