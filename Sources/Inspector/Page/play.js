import { byId, say } from "./dom.js";
import { pause } from "./api.js";
import { change, state } from "./state.js";
import { shownPosition, store } from "./store.js";

let isPlaying = false;
let round = 0;
let painted = async () => {};

/// Playback waits until each moment is on the screen.
export function startPlay(waitUntilPainted) {
  painted = waitUntilPainted;
  byId("play").addEventListener("click", () => { if (isPlaying) stopPlaying(); else play(); });
}

export function stopPlaying() {
  if (!isPlaying) return;
  isPlaying = false;
  round += 1;
  show();
  say(`Playback stopped at transaction ${shownPosition()}`);
}

function show() {
  const button = byId("play");
  button.textContent = isPlaying ? "❚❚" : "▶";
  button.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
  button.setAttribute("aria-pressed", String(isPlaying));
  button.title = isPlaying ? "Pause" : "Play the transactions";
}

function perSecond() {
  const speed = byId("speed").value;
  return speed === "whole" ? Math.max(1, (store.head.position - store.first.position) / 30) : Number(speed);
}

async function play() {
  isPlaying = true;
  round += 1;
  const mine = round;
  show();
  if (state.at === null) change({ at: store.first.position });
  while (isPlaying && mine === round) {
    const began = performance.now();
    await painted();
    await pause(Math.max(50, 1000 / perSecond() - (performance.now() - began)));
    if (!isPlaying || mine !== round) return;
    // A slow answer skips transactions at a high speed, so the whole log takes the promised time.
    const next = shownPosition() + Math.max(1, Math.round(perSecond() * (performance.now() - began) / 1000));
    change({ at: next >= store.head.position ? null : next }, { replaces: true });
    if (state.at === null) stopPlaying();
  }
}
