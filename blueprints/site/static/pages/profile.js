// The player's picture, username, trade URL and client seed.

import { sendFile } from "../api.js";
import { html, nothing } from "../lit.js";
import { cropPicture } from "../parts/crop.js";
import { picture } from "../parts/elements.js";
import { Actions, field, makeForm, sendConfirmed, textField } from "../parts/forms.js";
import { loadPlayer } from "../player.js";
import { state } from "../store.js";

const picturing = new Actions("avatar-said", loadPlayer);

// `name` is the name of the setting in /auth/me, `key` that in the body for `path`.
const SETTINGS = [
  {
    name: "username", label: "Username", path: "/profile/details", key: "username", most: 32,
    help: "3 to 32 letters, digits, dots, dashes and underscores. Other players see it.",
  },
  {
    name: "tradeUrl", label: "Trade URL", path: "/profile/trade-url", key: "url", most: 500,
    help: "The address at which you receive trade offers, from your inventory's settings on the game platform.",
  },
  {
    name: "clientSeed", label: "Client seed", path: "/profile/client-seed", key: "clientSeed", most: 64,
    help: html`For bets that other programs send without a seed. To change the seed of your next bet here, open
      “Provably fair” below <a href="/">the wheel</a>.`,
  },
].map(({ name, label, path, key, most, help }) => {
  const form = makeForm(name, async ({ value }) => {
    await sendConfirmed("PUT", path, { [key]: value.value.trim() });
    return `${label} saved.`;
  }, loadPlayer);
  return () => form(textField({ form: name, name: "value", label, help, most, value: state.player[name] }),
    html`Save<span class="unseen"> ${label}</span>`);
});

export const enter = () => loadPlayer();

export const page = () => (state.player ? html`<div class="parts">
  <div>
    ${picturing.view()}
    <div class="row">
      ${picture("avatar", state.player.avatar, 96, "eager")}
      ${field({ id: "avatar", label: "Choose a new picture", input: html`<input id="avatar" type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        @change=${({ target }) => picturing.run(() => changePicture(target))}>` })}
    </div>
  </div>
  ${SETTINGS.map((view) => view())}
</div>` : nothing);

async function changePicture(target) {
  const [file] = target.files;
  target.value = ""; // So that the same file can be chosen again.
  const isChanged = await cropPicture(file, {
    title: "Choose the part to show",
    accept: "Use this picture",
    send: (blob) => sendFile("/profile/avatar", "avatar", blob),
  });
  return isChanged && "Your picture is changed.";
}
