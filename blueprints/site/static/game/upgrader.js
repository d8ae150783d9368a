// The upgrader: the wheel, the item to win, and the chance. game.js plays its spins.

import { thresholdSent } from "../fairness/records.js";
import { percentOf } from "../fairness/rolls.js";
import { html, live, nothing } from "../lit.js";
import { centsOfCoins, format } from "../money.js";
import { coins, picture, signedCoins } from "../parts/elements.js";
import { state, update } from "../store.js";
import {
  chance, changeWager, formKey, formObjection, keyOf, multiplier, setWager, spinContent, threshold, wagerCents,
} from "./bet-form.js";
import { burstFrom } from "./burst.js";
import { partsOf } from "./item-names.js";
import { turningSeconds } from "./pace.js";
import { turnWheel, wheel } from "./wheel.js";

const percent = (number, places = 5) => `${number.toFixed(places)} %`;

// The spin whose result is shown until item or wager change: `{ key, won, rolled, netCents, chance }`.
let concluded = null;

export const upgrader = {
  noun: "spin",
  view: "upgrader",
  stage: "#dial",
  inProgress: "The wheel is turning.",
  title: () => "Upgrade",
  action: () => "Spin",
  objection: formObjection,

  /** The spin of the form, for `begin` of betting.js. */
  begin: () => ({
    game: "upgrader",
    event: "upgrader:spin",
    content: spinContent(),
    terms: { houseEdge: state.rules.houseEdge },
    display: {
      what: state.item.marketHashName, image: state.item.image, proofDelay: turningSeconds(),
    },
    costCents: wagerCents(),
  }),

  /** Show a spin that was sent. After a reload, which empties the form, it fills the form. */
  restore({ request, display, costCents }) {
    concluded = null;
    if (state.item) return;
    const priceCents = centsOfCoins(request.price);
    update({ item: { marketHashName: request.item, image: display.image, priceCents } });
    setWager(costCents);
  },

  turn: ({ pf, decidedAt, display }) =>
    turnWheel(pf.percent, { seconds: display.proofDelay, began: decidedAt }),

  conclude(attempt) {
    const { request, pf, answer, costCents } = attempt;
    const { success: won, amount } = answer.result;
    const payoutCents = centsOfCoins(amount);
    const winning = percentOf(thresholdSent(attempt));
    const key = keyOf(request.item, centsOfCoins(request.price), costCents);
    concluded = { key, won, rolled: pf.percent, netCents: payoutCents - costCents, chance: winning };
    const text = won ? `You won ${format(payoutCents)} coins, the price of ${request.item}.`
      : `You lost your wager of ${format(costCents)} coins.`;
    update({ outcome: { text, kind: won ? "won" : "lost" } });
    if (won) burstFrom(document.querySelector("#dial"), winning < 20 ? 240 : 140);
  },

  reset() {
    concluded = null;
  },

  stageView,
  controls,
};

/** Item or wager have changed: the outcome of the last spin is over, unless it says why it was refused. */
function formChanged() {
  if (state.bet || concluded?.key === formKey()) return;
  concluded = null;
  if (state.outcome.kind !== "refused") update({ outcome: { text: "", kind: "" } });
}

/** Choose the item to win, with its `priceCents`. */
export function chooseItem(item) {
  update({ item });
  formChanged();
}

function type(text) {
  update({ wager: text });
  formChanged();
}

function stageView() {
  const spinning = state.bet?.game === upgrader ? state.bet.attempt : null;
  const result = concluded?.key === formKey() ? concluded : null;
  const { chance: shown, label, value, note } = reading(spinning, result);
  const image = spinning ? spinning.display.image : state.item?.image;
  return html`
    <div id="upgrader">
      <div id="dial" class="dial">
        ${wheel(shown, spinning ? "the needle is turning" : result && placeOf(result))}
        <div class="reading">
          <div id="target" class="target">${image || state.item ? picture("item", image, 120) : nothing}</div>
          <span id="reading-label" class="quiet">${label}</span>
          <strong id="reading">${value}</strong>
          <span id="reading-note" class="quiet">${note}</span>
        </div>
      </div>
      ${state.item ? wanted(state.item) : howItWorks}
    </div>`;
}

const placeOf = ({ won, rolled, chance: wins }) =>
  `the needle stopped at ${percent(rolled)}, ${won ? "inside" : "outside"} the lit part, which ends at ` +
  percent(wins);

function reading(spinning, result) {
  if (spinning) return { chance: percentOf(thresholdSent(spinning)), label: "Rolling", value: "…", note: "" };
  if (result) {
    const { won, rolled, netCents } = result;
    const note = `wins below ${percent(result.chance)}`;
    return won ? { chance: result.chance, label: `Rolled ${percent(rolled)}`, value: signedCoins(netCents), note }
      : { chance: result.chance, label: "Rolled", value: percent(rolled), note };
  }
  const label = "Your chance";
  if (!threshold()) return { chance: chance(), label, value: state.item ? "–" : "Choose an item", note: "" };
  return { chance: chance(), label, value: percent(chance(), 3), note: `pays ${multiplier().toFixed(2)}×` };
}

const howItWorks = html`
  <ol id="how-it-works" class="how">
    <li><strong>Choose an item</strong> that is worth more than you wager.</li>
    <li><strong>Set your wager:</strong> the higher it is, the larger the lit part of the wheel.</li>
    <li><strong>Spin.</strong> If the needle stops in the lit part, you win the price of the item in coins.</li>
  </ol>`;

function wanted({ marketHashName, priceCents }) {
  const { gun, skin, wear } = partsOf(marketHashName);
  return html`
    <p id="wanted" class="wanted">
      <span id="wanted-name" class="name">${gun ? html`<span class="quiet">${gun} </span>` : nothing}${skin}</span>
      <span id="wanted-wear" class="quiet">${wear}</span>
      <strong id="wanted-price">${coins(priceCents)}</strong>
    </p>`;
}

/** What is above the button: the wager. */
function controls() {
  const change = ({ currentTarget }) => {
    changeWager(currentTarget.dataset.wager);
    formChanged();
  };
  const tidy = () => { if (wagerCents() !== null) setWager(wagerCents()); };
  return html`
    <div class="wager">
      <label for="wager">Wager <span class="quiet">in coins</span></label>
      <span class="coins"><input id="wager" inputmode="decimal" autocomplete="off" aria-describedby="why-not"
        .value=${live(state.wager)} @input=${({ target }) => type(target.value)} @change=${tidy}></span>
      <button type="button" class="plain" data-wager="half" aria-label="½ the wager" @click=${change}>½</button>
      <button type="button" class="plain" data-wager="double" aria-label="2× the wager" @click=${change}>2×</button>
      <button type="button" class="plain" data-wager="most" aria-label="Max wager" @click=${change}>Max</button>
    </div>`;
}
