// Keeps parts of a page up to date without a reload: those with the attribute data-live and an id.
// An overview fetches itself again; a form with data-live-form is sent while somebody types.

import { showTimes } from "./office.js";

const EVERY_MS = 10_000;
const TYPING_MS = 250;

const shown = new WeakMap();

/** Replace each part by the one with its id in this page, unless it is the same. */
function swap(page, { keepsFocused = true } = {}) {
  const fresh = new DOMParser().parseFromString(page, "text/html");
  const { activeElement } = document;
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(part.id);
    if (!next || shown.get(part) === next.innerHTML) continue;
    if (keepsFocused && part.contains(activeElement)) continue;
    shown.set(part, next.innerHTML);
    const places = [...part.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
    part.replaceChildren(...next.childNodes);
    part.querySelectorAll(".scroll").forEach((each, index) => each.scrollTo({ left: places[index] ?? 0 }));
    showTimes(part);
    if (!activeElement.isConnected && document.activeElement === document.body) {
      const same = document.getElementById(activeElement.id);
      (same ?? part.querySelector("[tabindex]"))?.focus();
      if (same?.type === "text") same.setSelectionRange(same.value.length, same.value.length);
    }
  }
}

async function show(asking, options) {
  try {
    const answer = await asking;
    // The session has ended: what it showed goes away.
    if (answer.redirected) location.reload();
    else if (answer.ok) swap(await answer.text(), options);
  } catch {
    // The server can't be reached, or a newer request has replaced this one.
  }
}

const address = document.querySelector("[data-refresh]")?.dataset.refresh;
if (address) {
  const refresh = () => document.hidden || show(fetch(address));
  setInterval(refresh, EVERY_MS);
  document.addEventListener("visibilitychange", refresh);
}

const form = document.querySelector("[data-live-form]");
if (form) {
  let last = new AbortController();
  let waiting;
  // Buttons whose effect is not shown yet.
  const pressed = [];
  const send = async () => {
    clearTimeout(waiting);
    last.abort();
    const { signal } = (last = new AbortController());
    const body = new FormData(form);
    for (const { name, value } of pressed) body.append(name, value);
    await show(fetch(form.action, { method: "POST", body, signal }), { keepsFocused: pressed.length === 0 });
    if (!signal.aborted) pressed.length = 0;
  };
  form.addEventListener("input", () => {
    // An answer that is under way does not have what was typed.
    last.abort();
    clearTimeout(waiting);
    waiting = setTimeout(send, TYPING_MS);
  });
  form.addEventListener("submit", (event) => {
    // The button that proposes has an address of its own.
    if (event.submitter?.hasAttribute("formaction")) return;
    event.preventDefault();
    if (event.submitter?.name) pressed.push(event.submitter);
    send();
  });
}
