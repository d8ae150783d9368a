// The dialog in which a player cuts a square out of a picture: it is dragged or moved with the arrow keys, and zoomed
// with the slider, the wheel, plus and minus.

import { html, ref } from "../lit.js";
import { field, openDialog } from "./forms.js";

const SIDE = 256; // of the picture that is sent
const STEP = 16;
const MOST_ZOOM = 8;
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

/** Cut a file's picture; resolves with what `send(blob)` resolved with, or with undefined when the player cancels. */
export async function cropPicture(file, { title, accept, send }) {
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
