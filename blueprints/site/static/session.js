// The token of the signed-in player, which all tabs of this browser share until the player signs out.

import { notify } from "./store.js";

const KEY = "token";
const LOGIN_KEY = "login-started";
const LOGIN_MS = 600_000; // The server rejects a login that takes longer.
const EXPIRED = "Your session has expired. Please sign in again.";

const LINK_PAGE = "/account/security";

const LOGIN_ERRORS = {
  login_failed: "Signing in did not work, or was cancelled. Nothing has changed; you can try again.",
  account_suspended: "Your account is suspended, so you can't sign in. Please contact support.",
  account_closed: "You have closed this account, so you can't sign in. Please contact support to open it again.",
  provider_unavailable: "The sign-in service can't be reached at the moment. Please try again later.",
  login_removed: "This login was removed from its account. Please sign in in another way.",
  already_linked: "This login belongs to another account, so it was not linked. Nothing has changed.",
  link_failed: "Linking did not work, or was cancelled. Nothing has changed; you can try again.",
};

const LINK_ERRORS = ["already_linked", "link_failed"];

/** The login providers, as players know them. */
export const PROVIDERS = { platform: "the game platform", identity: "your identity provider" };

/** Whether the server is not in production. */
export const isTrial = "trial" in document.documentElement.dataset;

// This tab's token. It follows the one in the storage when another tab has changed that.
let token = localStorage.getItem(KEY);

/** The token of the signed-in player; null for a guest. */
export const getToken = () => token;

/**
 * Become the player of a token in all tabs of this browser, or a guest with null. The window gets the event "session"
 * then, and when another tab has done so.
 */
export function setToken(next) {
  token = next;
  if (next) localStorage.setItem(KEY, next);
  else localStorage.removeItem(KEY);
  dispatchEvent(new Event("session"));
}

export function signOut(why = EXPIRED) {
  if (!token) return;
  setToken(null);
  notify(why);
}

export function followOtherTabs() {
  const follow = () => {
    const stored = localStorage.getItem(KEY);
    if (stored === token) return;
    token = stored;
    dispatchEvent(new Event("session"));
    notify(token ? "You have signed in as this player in another tab." : "You were signed out in another tab.");
  };
  addEventListener("storage", follow);
  // A page that the browser has kept for its Back button has heard of nothing meanwhile.
  addEventListener("pageshow", follow);
}

/** The id of the player whom a token names, without a check of its signature; "" when it is malformed. */
function playerOf(some) {
  try {
    return JSON.parse(atob(some.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))).sub;
  } catch {
    return ""; // The server refuses this token.
  }
}

/** The id of the signed-in player; "" for a guest. */
export const playerId = () => playerOf(token);

/** Remember that a login began in this tab, so that its token is accepted without a question. */
export const startLogin = () => sessionStorage.setItem(LOGIN_KEY, Date.now());

/**
 * Take what a login has put into the address out of it, and become the player of its token. Returns what to `say`: why
 * the login has failed, or which one was linked; the `challenge` that a two-factor code has to answer, and the token
 * that is only `offered`.
 *
 * Anybody can make a link with a token in it. It signs the player in without a question only after a login that began
 * in this tab or, on a server that is not in production (`trial`), when nobody else is signed in.
 */
export function takeLogin({ trial }) {
  const address = new URL(location.href);
  const take = (name) => {
    const value = address.searchParams.get(name);
    address.searchParams.delete(name);
    return value;
  };
  const [offered, challenge, error, linked] = ["token", "challenge", "error", "linked"].map(take);
  if ([offered, challenge, error, linked].every((each) => each === null)) return {};
  // Back to where the link began.
  if (linked !== null || LINK_ERRORS.includes(error)) address.pathname = LINK_PAGE;
  history.replaceState(null, "", address);
  const isExpected = Date.now() - sessionStorage.getItem(LOGIN_KEY) < LOGIN_MS;
  sessionStorage.removeItem(LOGIN_KEY);
  const link = PROVIDERS[linked] ? `You can sign in with ${PROVIDERS[linked]} now.` : "";
  const say = error === null ? link : (LOGIN_ERRORS[error] ?? "Signing in did not work.");
  if (!offered || offered === token) return { say, challenge };
  const isHarmless = trial && (!token || playerOf(offered) === playerId());
  if (!isExpected && !isHarmless) return { say, challenge, offered };
  setToken(offered);
  return { say, challenge };
}
