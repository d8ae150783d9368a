// Which page is open. Addresses are changed by plain links, and by the buttons of the browser.
//
// A page is a module that exports `page(params)`, its template, and perhaps `enter(params)`, which loads its data: it
// is called when the page is opened, when the query of its address changes, and when another player signs in. A page
// that follows something also exports `leave()`, which is called when another address is opened.

import { findRoute, loadPage, routes } from "./routes.js";
import { getToken } from "./session.js";
import { update } from "./store.js";

/** The open page: its path, route and parameters, its module, null until it is loaded, and why it could not be. */
export const current = { path: location.pathname, ...findRoute(location.pathname), module: null, problem: "" };

export const query = () => new URLSearchParams(location.search);

/** Change the query; "" and null remove a parameter. With `replace` the back button does not undo it. */
export function setQuery(changes, { replace = false } = {}) {
  const parameters = query();
  for (const [name, value] of Object.entries(changes)) {
    if (value) parameters.set(name, value);
    else parameters.delete(name);
  }
  goTo(location.pathname + (parameters.size ? `?${parameters}` : ""), replace);
  enter();
}

function goTo(address, replace = false) {
  if (address === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", address);
}

/** Open the page at an address. The focus goes to `focus`, or to the heading of the page. */
export async function open(address, { focus } = {}) {
  goTo(address);
  await show();
  moveFocus(focus);
}

/** Load the data of the open page, as its player may see it. */
export async function enter() {
  const { route, module, params } = current;
  await update();
  if (!route.needs || getToken()) await module?.enter?.(params);
}

async function show() {
  const path = location.pathname;
  const found = findRoute(path);
  const loaded = await loadPage(found.route).then(
    (module) => ({ module, problem: "" }),
    ({ message }) => ({ module: null, problem: `This page could not be loaded: ${message}` }),
  );
  if (path !== location.pathname) return;
  if (path !== current.path) {
    current.module?.leave?.();
    dispatchEvent(new Event("clear-messages"));
  }
  Object.assign(current, { path, ...found, ...loaded });
  setTitle(found.route.title);
  enter();
  await update();
}

/** Name what the open page shows, such as a case, in its title. */
export function setTitle(title) {
  const [{ title: site }] = routes;
  document.title = title === site ? site : `${title} · ${site}`;
}

/** Move the focus to what a selector matches, or to the heading of the page. */
function moveFocus(selector = current.route.focus) {
  if (selector) return document.querySelector(selector)?.focus();
  scrollTo(0, 0);
  document.querySelector("#page-title").focus({ preventScroll: true });
  bringListIntoView();
}

/** In a single column the wheel is above a list, such as the ranking, and would be all that a phone shows. */
function bringListIntoView() {
  const { isGame, focus } = current.route;
  const heading = document.querySelector("#page-title");
  const isBelowGame = isGame && !focus && current.route !== routes[0];
  if (isBelowGame && heading.getBoundingClientRect().top > innerHeight / 2) heading.closest(".panel").scrollIntoView();
}

function followLink(event) {
  const link = event.target.closest?.("a[href]");
  const isPlain = !event.button && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
  const { origin, pathname, search, hash } = link;
  if (origin !== location.origin || hash || !findRoute(pathname).route) return;
  event.preventDefault();
  open(pathname + search);
}

/** A skip link moves the focus, and the address stays as it is. */
function followSkipLink(event) {
  const link = event.target.closest?.(".skip");
  if (!link) return;
  event.preventDefault();
  document.querySelector(link.hash)?.focus();
}

/** Open the page of the present address, and follow links from now on. */
export async function startRouter() {
  document.addEventListener("click", followSkipLink);
  document.addEventListener("click", followLink);
  addEventListener("popstate", async () => {
    const { path } = current;
    await show();
    if (path !== location.pathname) moveFocus();
  });
  await show();
  bringListIntoView();
}

/** Whether a link leads to the open page or to one below it. */
export const isOpen = (path) =>
  current.route.path === path || (path !== "/" && Boolean(current.route.path?.startsWith(`${path}/`)));
