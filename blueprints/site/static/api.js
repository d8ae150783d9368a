// Reading from the server over HTTP.

/** An answer other than 2xx. `status` is its number, the message its text. */
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** The JSON of an address of this server. Rejects with Refused, or with what fetch rejects with. */
export async function getJson(path, { token = null, signal } = {}) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(path, { headers, signal });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, body.error ?? `The server answered ${response.status}`);
  return body;
}
