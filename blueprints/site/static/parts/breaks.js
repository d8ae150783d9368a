// Taking a break, and excluding oneself from betting.

import { makeActions } from "./actions.js";
import { sendJson } from "./api.js";
import { byId, openDialog } from "./dom.js";
import { formatTime } from "./times.js";

const HOUR_MS = 3_600_000;
const HOURS = { h: 1, d: 24 };
const PERMANENT = "permanent";

const textOf = (until) => (
  until === null ? "You have excluded yourself permanently." : `You are taking a break until ${formatTime(until)}.`
);

/** The section. `redraw()` loads and draws the tab anew. */
export class Breaks {
  #act;

  constructor(redraw) {
    this.#act = makeActions("break-said", redraw);
    byId("break-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask();
    });
  }

  /** Draw the `exclusion` of `/limits`, and offer the durations that make it longer. */
  draw(exclusion) {
    byId("break-now").textContent = exclusion ? textOf(exclusion.until) : "";
    byId("break-form").hidden = exclusion?.until === null;
    const durations = byId("break-duration");
    for (const option of durations.options) {
      option.disabled = Boolean(exclusion) && endOf(option.value) < exclusion.until;
    }
    if (durations.selectedOptions[0].disabled) [...durations.options].find(({ disabled }) => !disabled).selected = true;
  }

  /** Begin the chosen break, if the player agrees. */
  async #ask() {
    const { value: duration, text } = byId("break-duration").selectedOptions[0];
    const isPermanent = duration === PERMANENT;
    byId("break-title").textContent = isPermanent ? "Exclude yourself permanently?" : `Take a break for ${text}?`;
    byId("break-text").textContent = isPermanent
      ? "You will never be able to bet with this account again. Nobody can undo this."
      : `You can't bet until ${formatTime(endOf(duration))}. A break can't be ended earlier, only made longer.`;
    // A permanent exclusion needs a second step. The browser refuses the form until it is taken.
    byId("break-sure").hidden = !isPermanent;
    byId("break-understood").required = isPermanent;
    byId("break-understood").checked = false;
    byId("break-accept").textContent = isPermanent ? "Exclude me permanently" : "Take the break";
    if ((await openDialog("break")) !== "accept") return;
    await this.#act(async () => {
      const { until } = await sendJson("POST", "/limits/exclusion", { duration });
      return textOf(until);
    });
  }
}

/** When a break ends that begins now. */
function endOf(duration) {
  if (duration === PERMANENT) return Infinity;
  return Date.now() + parseInt(duration, 10) * HOURS[duration.at(-1)] * HOUR_MS;
}
