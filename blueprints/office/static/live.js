// Keeps the parts of a page that change by themselves up to date: those with the attribute data-live and an id.

import { showTimes } from "./office.js";

const EVERY_MS = 10_000;

const shown = new WeakMap();

/** Replace each part by the one with its id in this page, unless it is the same or has the focus. */
export function swap(page) {
  const fresh = new DOMParser().parseFromString(page, "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(part.id);
    if (!next || shown.get(part) === next.innerHTML || part.contains(document.activeElement)) continue;
    shown.set(part, next.innerHTML);
    const places = [...part.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
    part.replaceChildren(...next.childNodes);
    part.querySelectorAll(".scroll").forEach((each, index) => each.scrollTo({ left: places[index] ?? 0 }));
    showTimes(part);
  }
}

async function refresh(address) {
  if (document.hidden) return;
  try {
    const answer = await fetch(address);
    // The session has ended: what it showed goes away.
    if (answer.redirected) location.reload();
    else if (answer.ok) swap(await answer.text());
  } catch {
    // The server can't be reached. The next try may.
  }
}

const address = document.querySelector("[data-refresh]")?.dataset.refresh;
if (address) {
  setInterval(() => refresh(address), EVERY_MS);
  document.addEventListener("visibilitychange", () => refresh(address));
}
