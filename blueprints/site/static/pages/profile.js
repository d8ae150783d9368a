// The player's picture, username, trade URL and client seed.

import { sendFile } from "../api.js";
import { html, nothing } from "../lit.js";
import { Actions } from "../parts/action.js";
import { cropPicture } from "../parts/crop.js";
import { makeForm, textField } from "../parts/form.js";
import { picture } from "../parts/picture.js";
import { sendConfirmed } from "../parts/two-factor.js";
import { loadPlayer } from "../player.js";
import { state } from "../store.js";

const picturing = new Actions("avatar-said", loadPlayer);

// `name` is the name of the setting in /auth/me, `key` that in the body for `path`.
const SETTINGS = [
  {
    name: "username",
    label: "Username",
    path: "/profile/details",
    key: "username",
    most: 32,
    help: "3 to 32 letters, digits, dots, dashes and underscores. Other players see it.",
  },
  {
    name: "tradeUrl",
    label: "Trade URL",
    path: "/profile/trade-url",
    key: "url",
    most: 500,
    help: "The address at which you receive trade offers, from your inventory's settings on the game platform.",
  },
  {
    name: "clientSeed",
    label: "Client seed",
    path: "/profile/client-seed",
    key: "clientSeed",
    most: 64,
    help: html`For bets that other programs send without a seed. To change the seed of your next bet here, open
      “Provably fair” below <a href="/">the wheel</a>.`,
  },
].map((setting) =>
  ({ ...setting, view: makeForm(setting.name, ({ value }) => store(setting, value.value), loadPlayer) }));

async function store({ label, path, key }, value) {
  await sendConfirmed("PUT", path, { [key]: value.trim() });
  return `${label} saved.`;
}

export const enter = () => loadPlayer();

export const page = () => html`
  ${state.player ? html`<div class="parts">
    <div>
      ${picturing.view()}
      <div class="row">
        ${picture("avatar", state.player.avatar, 96, "eager")}
        <div class="field">
          <label for="avatar">Choose a new picture</label>
          <input id="avatar" type="file" accept="image/png,image/jpeg,image/webp,image/gif" @change=${changePicture}>
        </div>
      </div>
    </div>
    ${SETTINGS.map(({ name, label, help, most, view }) =>
      view(textField({ form: name, name: "value", label, help, most, value: state.player[name] }),
        html`Save<span class="unseen"> ${label}</span>`))}
  </div>` : nothing}`;

async function changePicture({ target }) {
  const cutting = cropPicture(target.files[0], {
    title: "Choose the part to show",
    accept: "Use this picture",
    send: (blob) => sendFile("/profile/avatar", "avatar", blob),
  });
  target.value = ""; // So that the same file can be chosen again.
  if (await cutting.catch(() => true)) await picturing.run(() => cutting.then(() => "Your picture is changed."));
}
