// What surrounds every page: skip links, the header with its menu, live drops, the notice, the game,
// and the footer.

import { betList, reports } from "./fairness/bet-list.js";
import { shownBalanceCents } from "./game/balance.js";
import { gamePanel } from "./game/game.js";
import { areSoundsOn, switchSounds } from "./game/sounds.js";
import { html, nothing } from "./lit.js";
import { coins, logins, picture, skeletons } from "./parts/elements.js";
import { online } from "./parts/live-bets.js";
import { liveDrops } from "./parts/live-drops.js";
import { levels, nextLevel } from "./parts/next-level.js";
import { loadPlayer, notifications, unreadMark } from "./player.js";
import { rewards, waitingMark } from "./rewards.js";
import { current, isOpen } from "./router.js";
import { routes } from "./routes.js";
import { getToken, signOut } from "./session.js";
import { state } from "./store.js";

const SECTIONS = [
  ["/", "Upgrader"], ["/cases", "Cases"], ["/battles", "Battles"], ["/rewards", "Rewards"], ["/live", "Live"],
  ["/ranking", "Ranking"], ["/fair", "Fair"],
];
const MOST_LOADING = 8;

export function shell() {
  const { route } = current;
  const isPlayer = getToken() !== null;
  return html`
    <nav class="skips" aria-label="Skip">
      ${route.isGame ? html`<a class="skip" href="#game">Skip to the bet</a>` : nothing}
      <a class="skip" href="#browse">Skip to the content</a>
      ${route.isGame && isPlayer ? html`<a class="skip" href="#played">Skip to your bets</a>` : nothing}
    </nav>
    ${header(isPlayer)}
    ${liveDrops()}
    <p id="notice" class="notice" role="alert" ?hidden=${!state.notice}
      data-about=${state.notice?.about ?? ""}>${state.notice?.text ?? ""}</p>
    ${route.isGame ? besideGame(isPlayer) : html`<main class="wide">${content()}</main>`}
    <footer class="quiet">
      <a href="/verify">Verify a bet</a> <a href="/public-log">Public log</a> <a href="/docs">API documentation</a>
    </footer>`;
}

const besideGame = (isPlayer) => html`
  <main>
    ${gamePanel()}
    <div class="side">
      ${content()}
    </div>
    ${isPlayer ? html`
      <section id="played" class="panel played" aria-labelledby="played-title" tabindex="-1">
        <h2 id="played-title">Your bets</h2>
        ${reports()}
        ${betList()}
      </section>` : nothing}
  </main>`;

/** The open page, or what a guest sees in its place. */
function content() {
  const { route, module, params, problem } = current;
  const isClosed = route.needs && !getToken();
  return html`
    <section id="browse" class="panel browse" tabindex="-1" aria-label=${route.title}>
      <h2 id="page-title" tabindex="-1">${route.heading ?? route.title}</h2>
      ${isClosed ? html`
        <p id="guest-note">Sign in to ${route.needs}.</p>
        <p class="row logins">${logins()}</p>`
      : problem ? html`<p role="alert">${problem}</p>
        <p><a href=${location.href} target="_self">Load the page again</a></p>`
      : module?.page(params) ?? html`<p class="quiet">Loading…</p><ul class="lines">${skeletons(MOST_LOADING)}</ul>`}
    </section>`;
}

const link = (path, text, isCurrent) =>
  html`<a href=${path} aria-current=${isCurrent ? "page" : nothing}>${text}</a>`;

function header(isPlayer) {
  return html`
    <header>
      <h1><a href="/"><img src="/assets/icon.svg" alt="" width="32" height="32"> Upgrader</a></h1>
      <nav class="sections" aria-label="Pages">${SECTIONS.map(([path, text]) =>
        link(path, path === "/rewards" ? [text, waitingMark()] : text, isOpen(path)))}</nav>
      <p class="line" role="status"><span class="dot ${state.isLive ? "up" : ""}"></span>
        <span id="line">${state.line}</span></p>
      ${online()}
      <button id="sounds" type="button" class="plain round" aria-pressed=${areSoundsOn()} aria-label="Sounds"
        @click=${switchSounds}>
        <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" fill="currentColor">
          <path d="M2 7h4l5-5v16l-5-5H2z"/>
          <path d=${areSoundsOn() ? "M13 6a5 5 0 0 1 0 8m2-11a9 9 0 0 1 0 14" : "m14 8 4 4m0-4-4 4"} fill="none"
            stroke="currentColor" stroke-width="2"/>
        </svg>
      </button>
      <button id="theme" type="button" class="plain round" aria-label="Switch between light and dark">
        <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
          <circle cx="10" cy="10" r="8" fill="none" stroke="currentColor" stroke-width="2"/>
          <path d="M10 2a8 8 0 0 1 0 16z" fill="currentColor"/>
        </svg>
      </button>
      ${isPlayer ? playerMenu() : html`<p id="spectator" class="sign-in">${logins()}</p>`}
    </header>`;
}

function playerMenu() {
  const { player } = state;
  const cents = shownBalanceCents();
  const opened = ({ newState }) => {
    if (newState !== "open") return;
    loadPlayer(); // The level may have grown.
    notifications.load();
    rewards.load();
    levels.load();
  };
  const closeAfterLink = ({ target, currentTarget }) => { if (target.closest("a")) currentTarget.hidePopover(); };
  return html`
    <div id="player" class="player">
      <a class="balance" href="/account/cashier"><span class="unseen">Balance </span><strong id="balance"
        aria-live="polite">${cents === null ? "–" : coins(cents)}</strong></a>
      <button type="button" class="plain account" popovertarget="account">
        ${picture("avatar", player?.avatar, 30, "eager")}
        <span id="username">${player?.username ?? ""}</span><span class="unseen"> (your account)</span>
        ${player ? html`<span class="badge">Level ${player.level}</span>` : nothing}
        ${unreadMark()}
      </button>
      <div id="account" class="panel menu" popover @toggle=${opened} @click=${closeAfterLink}>
        <p id="level" class="quiet">${player ? html`Level ${player.level}. ${nextLevel()}` : ""}</p>
        <nav aria-label="Account">${accountLinks()}</nav>
        <button id="sign-out" type="button" class="plain"
          @click=${() => signOut("You have signed out.")}>Sign out</button>
      </div>
    </div>`;
}

export const accountLinks = () =>
  routes.filter(({ path }) => path.startsWith("/account")).map(({ path, title }) =>
    link(path, path === "/account/notifications" ? [title, unreadMark()] : title, current.route.path === path));
