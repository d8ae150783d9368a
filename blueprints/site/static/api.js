// Requests to the server. While it answers 503 or 429, what is only read is tried again.

import { getToken, signOut } from "./session.js";
import { endNotice, notify } from "./store.js";

const UNAUTHORIZED = 401;
const NOT_FOUND = 404;
const MOST_ATTEMPTS = 60;
const SHORTEST_PAUSE_SECONDS = 2;
/** What the player is told while the page tries again, by the status of the answer. */
const TRYING_AGAIN = {
  429: "This page has asked too often for the moment. It goes on by itself.",
  503: "The service is temporarily unavailable. This page tries again by itself.",
};

// The paths that are being tried again.
const failing = new Set();

/** An error response. `status` is its HTTP status, `message` its error text, `answer` its JSON. */
export class Refused extends Error {
  constructor(status, text, answer) {
    super(text);
    this.status = status;
    this.answer = answer;
  }
}

/** There was no response. The server may have done what was requested. */
export class Unanswered extends Error {}

/**
 * Fetch the JSON of a path that is the same for everybody: a proxy may cache it. Rejects with Refused for an error
 * response, or with Unanswered when there is none.
 */
export const getJson = async (path, options) => (await request(path, options)).json();

/** Fetch the text of a path, as getJson does. */
export const getText = async (path) => (await request(path)).text();

/**
 * Fetch the JSON of a path as the signed-in player. Rejects as getJson does, and when another player has signed in
 * meanwhile. When the server refuses the token, the player is signed out.
 */
export async function getOwn(path, options) {
  const owner = getToken();
  const content = await getJson(path, { ...options, headers: authorization() });
  if (getToken() !== owner) throw new Error("Another player has signed in");
  return content;
}

/** The response of a path to the signed-in player. Rejects as getOwn does. */
export async function getOwnResponse(path) {
  const owner = getToken();
  const response = await request(path, { headers: authorization() });
  if (getToken() !== owner) throw new Error("Another player has signed in");
  return response;
}

/** What a request resolves with, or `other` when the server answers that there is no such thing. */
export const orMissing = (request, other) => request.catch((problem) => {
  if (problem.status !== NOT_FOUND) throw problem;
  return other;
});

/** Send an object as the player, and return the JSON of the answer. `more` are headers to send, too. */
export const sendJson = (method, path, content = {}, more = {}) => getJson(path, {
  method,
  headers: { ...authorization(), "Content-Type": "application/json", ...more },
  body: JSON.stringify(content),
});

/** Send a file in a field of a form as the player, and return the JSON of the answer. */
export function sendFile(path, field, file) {
  const body = new FormData();
  body.append(field, file, field);
  return getJson(path, { method: "POST", headers: authorization(), body });
}

const authorization = () => (getToken() ? { Authorization: `Bearer ${getToken()}` } : {});

/**
 * The response of a path, with its headers. Rejects as getJson does. A request without a method is sent again while the
 * service is unavailable, or was asked too often, for minutes.
 */
export async function request(path, options = {}) {
  const attempts = options.method ? 1 : MOST_ATTEMPTS;
  try {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(path, options).catch(() => {
        throw new Unanswered("There is no connection to the server");
      });
      if (response.ok) return response;
      const trying = TRYING_AGAIN[response.status];
      if (!trying || attempt === attempts) throw await refusal(response, options);
      failing.add(path);
      notify(trying, "service");
      await pause(response);
    }
  } finally {
    failing.delete(path);
    if (!failing.size) endNotice("service");
  }
}

/** Wait as long as the server asks for, and a random time more, so that not all clients come back together. */
function pause({ headers }) {
  const seconds = Math.max(Number(headers.get("Retry-After")), SHORTEST_PAUSE_SECONDS);
  return new Promise((over) => setTimeout(over, seconds * 1_000 * (1 + Math.random())));
}

async function refusal(response, { headers }) {
  // The player of this tab may be another one by now.
  const isOwn = headers?.Authorization === authorization().Authorization;
  if (response.status === UNAUTHORIZED && isOwn) signOut();
  const answer = await response.json().catch(() => ({}));
  const text = answer.error ?? answer.message ?? `The server answered ${response.status}`;
  return new Refused(response.status, text, answer);
}
