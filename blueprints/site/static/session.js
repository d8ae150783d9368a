// The token of the signed-in player, which is kept for this tab only.

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

/** The token of the signed-in player; null for a guest. */
export const getToken = () => sessionStorage.getItem(KEY);

/** Become the player of a token, or a guest with null. */
export function setToken(token) {
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

/**
 * Become the player of the token in the address, or return it if the player has to confirm it; null otherwise.
 *
 * Anybody can make a link with a token in it. It signs the player in without a question only after a login that
 * began in this tab or, on a server that is not in production (`trial`), when nobody is signed in.
 */
export function takeToken({ trial }) {
  const offered = takeFromAddress("token");
  if (!offered || offered === getToken()) return null;
  if (!endLogin() && (getToken() || !trial)) return offered;
  setToken(offered);
  return null;
}

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
