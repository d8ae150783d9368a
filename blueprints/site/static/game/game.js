// The panel of the game: the view of one game at a time, and the button that plays it. A bet goes on while another
// page is open.
//
// A game (upgrader.js, case-opening.js) has:
//
//   noun, view, stage, inProgress   what one bet is called; its part of the panel; the part that moves; a bet in words
//   title(), action()               the heading, and what the button says
//   face()                          optional, the picture beside the heading
//   objection()                     why the server would refuse its bet, in words; null when it would accept it
//   begin()                         its next bet, for `begin` of betting.js
//   restore(attempt)                shows a bet that was sent before
//   turn(attempt), conclude(attempt)   how a bet moves and ends
//   refused(reason)                 optional, called after a refusal
//   reset()                         forgets the result that is shown
//   stageView(), controls()         templates

import { drawSeed, typeSeed } from "../fairness/client-seed.js";
import { nameOf } from "../fairness/evidence.js";
import { format } from "../format.js";
import { html, live, nothing } from "../lit.js";
import { coins, logins, shareButton } from "../parts/elements.js";
import { field } from "../parts/forms.js";
import { loadPlayer } from "../player.js";
import { current } from "../router.js";
import { getToken } from "../session.js";
import { showOutcome, state, update } from "../store.js";
import { allStopped, begin, bettingObjection, openAttempt, play } from "./betting.js";
import { addressOfCase } from "./case-content.js";
import { caseItems, chooseCase, isBusy, opening, openingCount, shownCase } from "./case-opening.js";
import { isSeries, playSeries, quickSwitch, stopSeries } from "./pace.js";
import { explainRefusal } from "./refusals.js";
import { play as playSound } from "./sounds.js";
import { chooseItem, maxCents, minCents, upgrader } from "./upgrader.js";

let active = upgrader;
let over = Promise.resolve(); // The end of the bet in progress.
let lastNonce = null; // of the bet whose outcome is shown

const gameOf = (attempt) => (attempt.game === "upgrader" ? upgrader : opening);

/** Scroll as little as is needed to see the whole element. */
const bringIntoView = (selector) => document.querySelector(selector)?.scrollIntoView({ block: "nearest" });

/** Show a game. While a bet of another one is in progress, nothing changes. */
function selectGame(game) {
  if (game === active || state.bet) return;
  active = game;
  resetGame();
}

/** Choose the item to win. A click by keyboard has the detail 0: then the focus goes on to the wager. */
export async function playFor(item, { detail }) {
  chooseItem(item);
  selectGame(upgrader);
  await update();
  // On a small screen the wheel is far above the items.
  bringIntoView("#dial");
  const wager = document.querySelector("#wager");
  if (detail !== 0 || !wager) return;
  wager.focus({ preventScroll: true });
  wager.select();
}

export function resetGame() {
  active.reset();
  showOutcome();
}

export const addressOf = ({ game, request }) => (game === "upgrader" ? "/" : addressOfCase(game, request.case));

/** Play no further bet. Resolves when none is in progress, with whether the same page is still open. */
async function endOfBets() {
  const { params } = current;
  stopSeries();
  await over;
  return current.params === params;
}

/** Show the upgrader as soon as no bet is in progress. */
export async function showUpgrader() {
  if (await endOfBets()) selectGame(upgrader);
}

/**
 * Show a case `{ game, id, reward }` as soon as no bet is in progress. Resolves with its name if it is shown. `isFirst`
 * is whether the page was loaded at its address.
 */
export async function showCase(chosen, isFirst) {
  if (!(await endOfBets())) return null;
  // The outcome of a bet that a reload has interrupted stays.
  const { game, id, name } = shownCase() ?? {};
  if (isFirst && active === opening && game === chosen.game && id === chosen.id) return name;
  loadPlayer(); // The level may have grown.
  try {
    if (!(await chooseCase(chosen)) || state.bet) return null;
    selectGame(opening);
    resetGame();
    await update();
    // On a small screen the reel is far above the cases.
    bringIntoView(opening.stage);
    return shownCase().name;
  } catch (problem) {
    await showOutcome(`The case could not be loaded: ${problem.message}.`, "refused");
    bringIntoView("#outcome");
    return null;
  }
}

/** Play the bets of the game that is shown, or the one that has to be sent again. */
async function playShown(event) {
  event.preventDefault();
  if (objection() !== null || isSeries()) return;
  const count = active === opening && !openAttempt() ? openingCount() : 1;
  // Nothing is opened behind a dialog, such as a reality check, or while the player reads another page.
  const canGoOn = () =>
    objection() === null && !openAttempt() && current.route.isGame && !document.querySelector("dialog[open]");
  const summary = await playSeries(count, playOne, canGoOn);
  const { text, kind } = state.outcome;
  if (active !== opening) return;
  if (summary) {
    playSound(summary.kind);
    opening.concludeAll(summary);
  }
  if (summary && kind === "refused") showOutcome(`${text} ${summary.text}`, kind);
  else if (summary) showOutcome(summary.text, summary.kind);
  loadPlayer(); // The level may have grown, and the free case be used.
}

/** Play one bet. Resolves with its attempt if it was settled, otherwise with null. */
async function playOne(waits) {
  const attempt = openAttempt() ?? begin(active.begin());
  if (attempt) await send(attempt, waits);
  else showOutcome("The bet was not sent, because this browser does not store what proves it.", "refused");
  return attempt?.answer?.status ? attempt : null;
}

/** Send a bet, perhaps one of before the page was loaded, and show how it ends. */
export async function send(attempt, waits = true) {
  const game = gameOf(attempt);
  game.restore(attempt);
  selectGame(game);
  showOutcome();
  const playing = play(attempt, game, waits);
  over = playing.then(allStopped).catch(() => {});
  lastNonce = attempt.nonce;
  await update();
  bringIntoView(game.stage);
  const answer = await playing;
  if (answer.status) return waits && playSound(state.outcome.kind);
  playSound("refused");
  showOutcome(explainRefusal(game.noun, answer), "refused");
  dispatchEvent(new CustomEvent("bet-refused", { detail: answer.error }));
  await game.refused?.(answer.error);
}

const objection = () => bettingObjection() ?? (openAttempt() ? null : active.objection());

const whyAgain = (attempt) =>
  `${nameOf(attempt)} for ${format(attempt.costCents)} coins (${attempt.display.what}) is not settled. It is sent` +
  " again as it was: with new seeds, the server could refuse bets until one loses.";

export function gamePanel() {
  const why = objection();
  const open = state.bet ? null : openAttempt();
  const { text, kind } = state.outcome;
  return html`
    <section id="game" class="panel game" aria-labelledby="game-title" tabindex="-1" data-view=${active.view}
      data-outcome=${kind} ?data-spinning=${state.bet} ?data-bets=${["/", "/cases/:id"].includes(current.route.path)} aria-busy=${isBusy()}>
      <div class="head">
        ${active.face?.() ?? nothing}
        <h2 id="game-title" aria-live="polite" tabindex="-1">${active.title()}</h2>
        ${active === upgrader ? shareLast() : nothing}
        <a href="/" class="plain">Back to the wheel</a>
      </div>
      ${active.stageView(shareLast)}
      <p id="outcome" class="outcome" aria-live="assertive">${text}</p>
      <form id="form" novalidate @submit=${playShown}>
        <div class="bar">
          ${active.controls()}
          <button id="spin" type="submit" class="spin" aria-disabled=${why !== null || isSeries()}
            aria-describedby="why-not"><span>${
              open ? html`Try again for ${coins(open.costCents)}` : active.action()}</span></button>
          <p id="why-not" class="why-not" role="status">${why ?? (open ? whyAgain(open) : "")}${
            getToken() ? nothing : logins("")}</p>
        </div>
        ${active === upgrader && current.route.path === "/" ? html`
          <a class="skip" href="#items">Back to the items</a>` : nothing}
        ${quickSwitch()}
        ${fairnessDetails(open)}
      </form>
      ${active === opening ? caseItems() : nothing}
    </section>`;
}

/** A button that shares the bet whose outcome is shown, once its proof has come and its id is known. */
function shareLast() {
  const [bet] = state.bets;
  const isShown = ["won", "lost"].includes(state.outcome.kind) && bet?.nonce === lastNonce;
  return isShown && bet.id ? shareButton(bet.id, "this bet") : nothing;
}

/** Seeds, commitment and the rules. `open` is the bet that has to be sent again with its seed. */
function fairnessDetails(open) {
  const { announced, rules, clientSeed, fairness } = state;
  return html`
    <details id="fairness" class="fairness">
      <summary>Provably fair <span id="fairness-state" class="state ${fairness.startsWith("✓") ? "good" : ""}"
        role="status">${fairness}</span></summary>
      <p class="quiet">Before each bet the server commits to a secret seed, and your browser draws a random seed
        that the server can't predict. The roll of a spin and the ticket of an opening are computed from both seeds.
        Afterwards the server reveals its seed, and your browser recomputes the outcome. You can also
        <a href="/verify">verify a bet</a> without this server.</p>
      ${field({
        id: "client-seed",
        label: "Your client seed",
        help: "A new random seed is drawn for each bet. A seed that you type is used for one bet.",
        input: html`<input id="client-seed" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64"
          aria-describedby="client-seed-help" ?readonly=${open} .value=${live(clientSeed)}
          @input=${({ target }) => typeSeed(target.value)}>
          <button type="button" class="plain" aria-label="New client seed" ?disabled=${open}
            @click=${drawSeed}>New</button>`,
      })}
      <dl class="values">
        <dt>The server's commitment: the SHA-256 of its seed</dt>
        <dd id="commitment">${announced?.serverSeedCommitment ?? "–"}</dd>
        <dt>Nonce: the number of your next bet</dt><dd id="nonce">${announced?.nonce ?? "–"}</dd>
      </dl>
      ${rules && active === upgrader ? html`<p id="limits" class="quiet">A wager is from ${format(minCents())} to
        ${format(maxCents())} coins. The house edge is ${Number((rules.houseEdge * 100).toFixed(4))} %.</p>` : nothing}
    </details>`;
}
