// Requests to the server.

import { getToken } from "./session.js";

const UNAUTHORIZED = 401;

/** An error response. `status` is its HTTP status, `message` its error text. */
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/**
 * Fetch the JSON of a path that is the same for everybody: a proxy may cache it. Rejects with Refused for an error
 * response, or with another Error when there is none.
 */
export const getJson = async (path, options) => (await request(path, options)).json();

/** Fetch the text of a path, as getJson does. */
export const getText = async (path) => (await request(path)).text();

/**
 * Fetch the JSON of a path as the signed-in player. Rejects as getJson does. When the server refuses the token, the
 * window gets the event "token-refused".
 */
export const getOwn = async (path, options) => (await request(path, { ...options, headers: authorization() })).json();

/**
 * Send an object with a method such as POST, and return the JSON of the answer. Rejects as getJson does.
 * `code` is a two-factor code that confirms the request.
 */
export async function sendJson(method, path, content = {}, code = null) {
  const headers = { ...authorization(), "Content-Type": "application/json" };
  if (code !== null) headers["X-2FA-Code"] = code;
  return (await request(path, { method, headers, body: JSON.stringify(content) })).json();
}

function authorization() {
  const token = getToken();
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Returns a function whose signals are for one request at a time: each call aborts the signal of the call before. */
export function makeSignals() {
  let last = new AbortController();
  return () => {
    last.abort();
    last = new AbortController();
    return last.signal;
  };
}

async function request(path, options) {
  const response = await fetch(path, options).catch(() => { throw new Error("There is no connection to the server"); });
  if (response.ok) return response;
  if (response.status === UNAUTHORIZED && options?.headers?.Authorization) dispatchEvent(new Event("token-refused"));
  const { error, message } = await response.json().catch(() => ({}));
  throw new Refused(response.status, error ?? message ?? `The server answered ${response.status}`);
}
