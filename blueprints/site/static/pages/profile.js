// The player's picture, which is cut to size here, username, trade URL, client seed, and closing the account.

import { getOwn, sendFile } from "../api.js";
import { html, live, nothing, ref } from "../lit.js";
import { closeAccount } from "../parts/closing.js";
import { picture } from "../parts/elements.js";
import { Actions, field, makeForm, openDialog, sendConfirmed, textField } from "../parts/forms.js";
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

const hiding = new Actions("anonymous-said", loadDetails);
let isAnonymous = false;

/** Whether other players see the name and the picture. */
async function loadDetails() {
  isAnonymous = Boolean((await getOwn("/profile/details")).data.anonymous);
}

async function hide(anonymous) {
  await sendConfirmed("PUT", "/profile/details", { anonymous });
  return anonymous ? "Other players see “Hidden” and no picture of yours." : "Other players see your name and picture.";
}

export const enter = () => Promise.all([loadPlayer(), loadDetails()]);

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
  <div>
    ${hiding.view()}
    <label class="switch"><input id="anonymous" type="checkbox" role="switch" .checked=${live(isAnonymous)}
      @change=${({ target }) => hiding.run(() => hide(target.checked))}> Streamer mode: hide my name and picture from
      other players</label>
    <p class="quiet">In live bets, the ranking, battles and shared bets, the old ones too. You see your own name.</p>
  </div>
  ${closeAccount()}
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

// The dialog in which a player cuts a square out of a picture: it is dragged or moved with the arrow keys, and zoomed
// with the slider, the wheel, plus and minus.

const SIDE = 256; // of the picture that is sent
const STEP = 16;
const MOST_ZOOM = 8;
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

/** Cut a file's picture; resolves with what `send(blob)` resolved with, or with undefined when the player cancels. */
async function cropPicture(file, { title, accept, send }) {
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error("This file is not a picture that your browser can read");
  });
  const shorter = Math.min(picture.width, picture.height);
  const middle = [picture.width / 2, picture.height / 2];
  let [canvas, zoom, taken] = [null, 1, null];

  function draw() {
    const side = shorter / zoom;
    const [left, top] = [picture.width, picture.height].map((whole, axis) => {
      middle[axis] = Math.min(Math.max(middle[axis], side / 2), whole - side / 2);
      return middle[axis] - side / 2;
    });
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, SIDE, SIDE);
    context.drawImage(picture, left, top, side, side, 0, 0, SIDE, SIDE);
  }
  /** Move the square by pixels of the canvas. */
  function move(...way) {
    way.forEach((pixels, axis) => { middle[axis] += (pixels * shorter) / zoom / SIDE; });
    draw();
  }
  function zoomTo(next) {
    zoom = Math.min(Math.max(next, 1), MOST_ZOOM);
    document.getElementById("zoom").value = zoom;
    draw();
  }
  function take({ target, pointerId, clientX, clientY }) {
    target.setPointerCapture(pointerId);
    taken = [clientX, clientY];
  }
  function drag({ buttons, clientX, clientY }) {
    if (!buttons) return;
    move(taken[0] - clientX, taken[1] - clientY);
    taken = [clientX, clientY];
  }
  function turn(event) {
    event.preventDefault();
    zoomTo(event.deltaY < 0 ? zoom * 1.1 : zoom / 1.1);
  }
  function press(event) {
    const { key } = event;
    if (key in ARROWS) move(...ARROWS[key]);
    else if (key === "+") zoomTo(zoom * 1.25);
    else if (key === "-") zoomTo(zoom / 1.25);
    else return;
    event.preventDefault();
  }
  function show(element) {
    canvas ??= element;
    draw();
  }
  return openDialog({
    id: "crop",
    title,
    content: html`
      <canvas id="crop-square" width=${SIDE} height=${SIDE} tabindex="0" role="application" ${ref(show)}
        aria-label="The square of your picture. Move it with the arrow keys, zoom with plus and minus."
        @pointerdown=${take} @pointermove=${drag} @wheel=${turn} @keydown=${press}></canvas>
      <p class="quiet" aria-hidden="true">Drag the picture, or move it with the arrow keys.</p>
      ${field({ id: "zoom", label: "Zoom", input: html`<input id="zoom" type="range" min="1" max=${MOST_ZOOM}
        step="0.05" value="1" @input=${({ target }) => zoomTo(target.valueAsNumber)}>` })}`,
    choices: file.type === "image/gif" ? [["whole", "Use it whole, with its motion"]] : [],
    accept,
    send: async (_form, value) =>
      send(value === "whole" ? file : await new Promise((resolve) => { canvas.toBlob(resolve); })),
  });
}
