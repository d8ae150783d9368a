// Who is signed in, in this tab only.

const KEY = "token";

const LOGIN_ERRORS = {
  login_failed: "Signing in did not work, or was cancelled. Nothing has changed; you can try again.",
  provider_unavailable: "The sign-in service can't be reached at the moment. Please try again later.",
};

/** The token of this tab, or null. One in the address is taken over, and the address bar is cleaned. */
export function takeToken() {
  const address = new URL(location.href);
  const token = address.searchParams.get("token");
  if (token) {
    sessionStorage.setItem(KEY, token);
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
  return sessionStorage.getItem(KEY);
}

/** What to tell a player whose login has just failed; null otherwise. */
export function takeLoginError() {
  const address = new URL(location.href);
  const error = address.searchParams.get("error");
  if (error === null) return null;
  address.searchParams.delete("error");
  history.replaceState(null, "", address);
  return LOGIN_ERRORS[error] ?? "Signing in did not work.";
}

export const forgetToken = () => sessionStorage.removeItem(KEY);
