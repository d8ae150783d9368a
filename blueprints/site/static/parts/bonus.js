// The bonus of a deposit: taking it, how far it is, and losing it by a withdrawal.

import { getJson } from "../api.js";
import { centsOfCoins, format, formatTime } from "../format.js";
import { html, nothing } from "../lit.js";
import { rewards } from "../rewards.js";
import { Resource } from "./lists.js";

const rules = new Resource((signal) => getJson("/rewards/rules", { signal }));

/** Load the terms that are shown beside the choice. */
export const loadTerms = () => rules.load();

const inCoins = (amount) => `${format(centsOfCoins(amount))} coins`;

/** The bonus that the next deposit can have; undefined if there is none. */
const available = () => withState("available");

/** The bonus that is not paid yet; undefined if there is none. */
const offered = () => withState("offered");

function withState(wanted) {
  const bonus = rewards.value?.bonus;
  return bonus?.state === wanted ? bonus : undefined;
}

/** The checkbox `bonus` of the form of a deposit, with what taking it means. Nothing is taken unless it is checked. */
export function bonusChoice() {
  const terms = rules.value?.bonus;
  if (!available() || !terms) return nothing;
  const { percent, max, wagering, days } = terms;
  return html`<div class="field">
    <label class="switch"><input name="bonus" type="checkbox" aria-describedby="bonus-terms"> Take the bonus of
      ${percent} % (up to ${inCoins(max)})</label>
    <ul id="bonus-terms" class="how">
      <li>The bonus is ${percent} % of this deposit. You get it once you have wagered ${wagering} times the bonus, within
        ${days} days after the deposit is credited.</li>
      <li>Bets where the house keeps less than in the upgrader count that much less, and free openings do not count.</li>
      <li>If you withdraw before that, or the ${days} days end, you lose the bonus. Your deposit and what you win with
        it stay yours. You can withdraw at any time.</li>
      <li>A break does not use up the days.</li>
    </ul>
  </div>`;
}

/** How far the open bonus is, and what would end it. */
export function bonusState() {
  const bonus = offered();
  if (!bonus) return nothing;
  return html`<div class="field"><p id="bonus-state" class="quiet">Your bonus of ${inCoins(bonus.amount)} is paid when
    you have wagered ${inCoins(bonus.needed)}: ${inCoins(bonus.wagered)} so far. It ends on
    ${formatTime(bonus.endsAt)}, or when you withdraw before that.</p></div>`;
}

/** The bonus that a withdrawal would lose, loaded anew; undefined if there is none. */
export async function bonusAtRisk() {
  await rewards.load();
  const bonus = offered();
  return bonus && bonus.wagered < bonus.needed ? bonus : undefined;
}

/** What the player loses, in the question before a withdrawal. */
export const describeLoss = ({ amount, needed, wagered }) => html`<p id="bonus-loss"><strong>You lose your bonus of
  ${inCoins(amount)}.</strong> It would be paid after wagers of ${inCoins(needed - wagered)} more.</p>`;
