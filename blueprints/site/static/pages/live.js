// The newest bets of all players.

import { html } from "../lit.js";
import { liveBets } from "../parts/live-bets.js";

export const page = () => html`
  <h2 id="page-title" tabindex="-1">Live bets</h2>
  ${liveBets()}`;
