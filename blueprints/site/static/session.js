// The token of the signed-in player, which all tabs of this browser share until the player signs out.

const KEY = "token";
const LOGIN_KEY = "login-started";
const LOGIN_MS = 600_000; // The server rejects a login that takes longer.

const LOGIN_ERRORS = {
  login_failed: "Signing in did not work, or was cancelled. Nothing has changed; you can try again.",
  account_suspended: "Your account is suspended, so you can't sign in. Please contact support.",
  provider_unavailable: "The sign-in service can't be reached at the moment. Please try again later.",
};

/** Remember that a login began in this tab, so that its token is accepted without a question. */
export const startLogin = () => sessionStorage.setItem(LOGIN_KEY, Date.now());

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

/** Calls `changed()` when another tab has signed a player in or out, with this tab's token changed already. */
export function followOtherTabs(changed) {
  const follow = () => {
    const stored = localStorage.getItem(KEY);
    if (stored === token) return;
    token = stored;
    dispatchEvent(new Event("session"));
    changed();
  };
  addEventListener("storage", follow);
  // A page that the browser has kept for its Back button has heard of nothing meanwhile.
  addEventListener("pageshow", follow);
}

/**
 * Become the player of the token in the address, or return it if the player has to confirm it; null otherwise.
 *
 * Anybody can make a link with a token in it. It signs the player in without a question only after a login that
 * began in this tab or, on a server that is not in production (`trial`), when nobody else is signed in.
 */
export function takeToken({ trial }) {
  const offered = takeFromAddress("token");
  if (!offered || offered === token) return null;
  if (!endLogin() && !(trial && (!token || playerOf(offered) === playerOf(token)))) return offered;
  setToken(offered);
  return null;
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

/** The message for a login that has just failed; null otherwise. */
export function takeLoginError() {
  const error = takeFromAddress("error");
  if (error === null) return null;
  endLogin();
  return LOGIN_ERRORS[error] ?? "Signing in did not work.";
}

/** The challenge of a login that is to be finished with a two-factor code; null otherwise. */
export function takeChallenge() {
  const challenge = takeFromAddress("challenge");
  if (challenge !== null) endLogin();
  return challenge;
}

/** Whether a login began in this tab within the last ten minutes. Forgets it. */
function endLogin() {
  const began = Number(sessionStorage.getItem(LOGIN_KEY));
  sessionStorage.removeItem(LOGIN_KEY);
  return Date.now() - began < LOGIN_MS;
}

/** A parameter of the address, which is removed from the address bar. */
function takeFromAddress(name) {
  const address = new URL(location.href);
  const value = address.searchParams.get(name);
  if (value !== null) {
    address.searchParams.delete(name);
    history.replaceState(null, "", address);
  }
  return value;
}
