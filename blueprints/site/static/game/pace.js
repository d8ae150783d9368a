// How fast bets follow each other: quick mode, which shows no animation, and several openings at once. Their bets are
// sent one after another, and their reels turn side by side.

import { centsOfCoins, format, formatSigned } from "../format.js";
import { html, live } from "../lit.js";
import { state, update } from "../store.js";
import { allStopped, nextBet } from "./betting.js";

const QUICK_KEY = "quick-mode";
const COUNTS = [1, 2, 3, 4, 5];

const isQuick = () => localStorage.getItem(QUICK_KEY) !== null;

/** How long the wheel or the reel turns. */
export const turningSeconds = () => (isQuick() ? 0 : state.rules.proofDelay);

function switchQuick({ target: { checked } }) {
  if (checked) localStorage.setItem(QUICK_KEY, "on");
  else localStorage.removeItem(QUICK_KEY);
  update();
}

export const quickSwitch = () => html`<label class="switch">
  <input id="quick" type="checkbox" role="switch" .checked=${live(isQuick())} @change=${switchQuick}>
  Quick mode <span class="quiet">without animation</span></label>`;

// How many openings are chosen; and while they are played, which one it is and what ends them.
const series = { chosen: 1, number: 0, ending: null };

export const isSeries = () => series.ending !== null;

/** Which opening of a series is being played, from 0. */
export const seriesPlace = () => (isSeries() ? series.number - 1 : 0);
export const chosenCount = () => series.chosen;

function choose(count) {
  series.chosen = count;
  update();
}

/** Play no bet after the one in progress. */
export function stopSeries() {
  series.ending?.abort();
  update();
}

addEventListener("session", stopSeries); // Nothing is opened as another player.

/**
 * Play a number of bets, one after another: `playOne(waits)` resolves with the attempt when it was settled, and
 * `canGoOn()` is whether another one may follow. Resolves with the outcome of all when all reels have stopped, or with
 * null after a single one.
 */
export async function playSeries(count, playOne, canGoOn) {
  if (count === 1) {
    await playOne(true);
    return null;
  }
  series.ending = new AbortController();
  const { signal } = series.ending;
  const stopped = new Promise((resolve) => { signal.addEventListener("abort", resolve); });
  let [played, payoutCents, costCents] = [0, 0, 0];
  update().then(() => document.getElementById("stop")?.focus({ preventScroll: true }));
  while (played < count && !signal.aborted && (played === 0 || canGoOn())) {
    series.number = played + 1;
    const attempt = await playOne(false);
    if (!attempt) break;
    payoutCents += centsOfCoins(attempt.answer.result.amount);
    costCents += attempt.costCents;
    played += 1;
    if (played < count) await Promise.race([nextBet(), stopped]);
  }
  await allStopped();
  series.ending = null;
  await update();
  // The button to stop is gone, and the focus with it.
  if (document.activeElement === document.body) {
    document.querySelector(".count :checked")?.focus({ preventScroll: true });
  }
  const netCents = payoutCents - costCents;
  const text = `Opened ${played} of ${count}: worth ${format(payoutCents)}, net ${formatSigned(netCents)} coins.`;
  return { text, kind: netCents > 0 ? "won" : "lost", netCents };
}

/** The choice of the number; while openings are played, which one it is, and a button that stops after it. */
export const seriesControls = () => (isSeries() ? html`
  <div class="count"><span role="status">Opening ${series.number} of ${series.chosen}</span>
    <button id="stop" type="button" class="plain" aria-disabled=${series.ending.signal.aborted}
      @click=${stopSeries}>${series.ending.signal.aborted ? "Stops after this one" : "Stop"}</button></div>` : html`
  <fieldset class="count"><legend class="unseen">Openings at once</legend>
    ${COUNTS.map((count) => html`<label class="plain">
      <input class="unseen" type="radio" name="count" value=${count} .checked=${live(count === series.chosen)}
        @change=${() => choose(count)}>${count}×</label>`)}
  </fieldset>`);
