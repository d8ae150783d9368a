// GET requests to the server.

/** An error response. `status` is its HTTP status, `message` its error text. */
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** Fetch the JSON of a path. Rejects with Refused for an error response, or with the error of fetch. */
export async function getJson(path, { token = null, signal } = {}) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(path, { headers, signal });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, body.error ?? `The server answered ${response.status}`);
  return body;
}
