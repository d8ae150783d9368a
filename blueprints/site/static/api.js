// Requests to the server.

/** An error response. `status` is its HTTP status, `message` its error text. */
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** Fetch the JSON of a path. Rejects with Refused for an error response, or with the error of fetch. */
export const getJson = async (path, options) => (await request(path, options)).json();

/** Fetch the text of a path, as getJson does. */
export const getText = async (path, options) => (await request(path, options)).text();

/**
 * Send an object with a method such as POST, and return the JSON of the answer. Rejects as getJson does.
 * `code` is a two-factor code that confirms the request.
 */
export async function sendJson(method, path, { token, content = {}, code = null }) {
  const headers = { "Content-Type": "application/json", ...(code === null ? {} : { "X-2FA-Code": code }) };
  return (await request(path, { method, token, headers, body: JSON.stringify(content) })).json();
}

async function request(path, { token = null, headers = {}, ...options } = {}) {
  const authorization = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(path, { ...options, headers: { ...headers, ...authorization } });
  if (response.ok) return response;
  const { error, message } = await response.json().catch(() => ({}));
  throw new Refused(response.status, error ?? message ?? `The server answered ${response.status}`);
}
