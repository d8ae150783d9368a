// Which page is open. Addresses are changed by plain links, and by the buttons of the browser.
//
// A page is a module that exports `page(params)`, its template, and perhaps `enter(params)`, which loads its data: it is
// called when the page is opened, when the query of its address changes, and when another player signs in.

import { findRoute, loadPage, routes } from "./routes.js";
import { getToken } from "./session.js";
import { update } from "./store.js";

/** The open page: its path, route and parameters, its module, null until it is loaded, and why it could not be. */
export const current = { path: location.pathname, ...findRoute(location.pathname), module: null, problem: "" };

/** The query of the address. */
export const query = () => new URLSearchParams(location.search);

/** The address of the open page with these parameters of its query changed; "" and null remove one. */
function withQuery(changes) {
  const parameters = query();
  for (const [name, value] of Object.entries(changes)) {
    if (value) parameters.set(name, value);
    else parameters.delete(name);
  }
  return location.pathname + (parameters.size ? `?${parameters}` : "");
}

/** Change the query, for example when a filter is chosen. With `replace` the back button does not undo it. */
export function setQuery(changes, { replace = false } = {}) {
  goTo(withQuery(changes), replace);
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

/** Show the page of the present address. Until it is loaded, the page before stays. */
async function show() {
  const path = location.pathname;
  const { route, params } = findRoute(path);
  let [module, problem] = [null, ""];
  try {
    module = await loadPage(route);
  } catch (failure) {
    problem = `This page could not be loaded: ${failure.message}`;
  }
  if (path !== location.pathname) return;
  Object.assign(current, { path, route, params, module, problem });
  document.title = route === routes[0] ? route.title : `${route.title} · ${routes[0].title}`;
  enter();
  await update();
}

/** Name what the open page shows in its title, such as a case. */
export function setTitle(title) {
  document.title = `${title} · ${routes[0].title}`;
}

/** Move the focus to what a selector matches, as soon as it is there, or to the heading of the page. */
function moveFocus(selector) {
  const wanted = selector ?? current.route.focus;
  if (!wanted) scrollTo(0, 0);
  const heading = document.querySelector(wanted ?? "#page-title");
  heading?.focus({ preventScroll: !wanted });
  // In a single column the wheel is above a list, such as the ranking, and would be all that a phone shows.
  const isBelowGame = !wanted && current.route.isGame && current.route !== routes[0];
  if (isBelowGame && heading?.getBoundingClientRect().top > innerHeight / 2) heading.closest(".panel").scrollIntoView();
}

function followLink(event) {
  const link = event.target.closest?.("a[href]");
  const isPlain = !event.button && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
  const { origin, pathname, search, hash } = new URL(link.href);
  if (origin !== location.origin || hash || !findRoute(pathname).route) return;
  event.preventDefault();
  open(pathname + search);
}

/** A skip link moves the focus, and the address stays as it is. */
function followSkipLink(event) {
  const link = event.target.closest?.(".skip");
  if (!link) return;
  event.preventDefault();
  const target = document.querySelector(link.hash);
  (target && !target.disabled ? target : document.querySelector("#game")).focus();
}

/** Open the page of the present address, and follow links from now on. */
export function startRouter() {
  document.addEventListener("click", followSkipLink);
  document.addEventListener("click", followLink);
  addEventListener("popstate", async () => {
    const { path } = current;
    await show();
    if (path !== location.pathname) moveFocus();
  });
  return show();
}

/** Whether a link leads to the open page or to one below it. */
export const isOpen = (path) =>
  current.route.path === path || (path !== "/" && Boolean(current.route.path?.startsWith(`${path}/`)));
