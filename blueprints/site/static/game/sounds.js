// Sounds of the game, off until the player turns them on. ../../sounds.py has made their files, which are loaded when
// they are played first.

import { update } from "../store.js";

const KEY = "sounds";
const TICKS = 30;
const LATEST = 0.05; // seconds after its time that a tick is still played
const VOLUMES = { tick: 0.12 };
const VOLUME = 0.3;

let audio = null;
const files = new Map(); // what is decoded, or being loaded, by the names of the sounds

export const areSoundsOn = () => localStorage.getItem(KEY) === "on";

export function switchSounds() {
  localStorage.setItem(KEY, areSoundsOn() ? "off" : "on");
  play("on");
  update();
}

async function load(name) {
  const answer = await fetch(`/assets/sounds/${name}.wav`);
  return audio.decodeAudioData(await answer.arrayBuffer());
}

/** Load a sound once; null when that does not work. */
function soundOf(name) {
  if (!files.has(name)) files.set(name, load(name).catch(() => { files.delete(name); return null; }));
  return files.get(name);
}

/** Play a sound at these times, in seconds from now. */
async function playAt(name, times) {
  audio ??= new AudioContext();
  const began = audio.currentTime;
  const buffer = await soundOf(name);
  if (!buffer) return;
  const gain = new GainNode(audio, { gain: VOLUMES[name] ?? VOLUME });
  gain.connect(audio.destination);
  for (const time of times) {
    if (name === "tick" && began + time < audio.currentTime - LATEST) continue;
    const source = new AudioBufferSourceNode(audio, { buffer });
    source.connect(gain);
    source.start(began + time);
  }
}

/** Play how a bet ended: "won", "lost" or "refused"; or that something was "drawn" in a battle. */
export function play(name) {
  if (areSoundsOn()) playAt(name, [0]);
}

/** Tick while the wheel or the reel turns, more and more slowly. With reduced motion nothing turns or ticks. */
export function tick(seconds) {
  if (!areSoundsOn() || seconds <= 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  playAt("tick", Array.from({ length: TICKS }, (_each, done) => seconds * (1 - (1 - done / TICKS) ** 0.25)));
}
