import { byId, say } from "./dom.js";
import { pause } from "./api.js";
import { change, state } from "./state.js";
import { shownPosition, store } from "./store.js";

let isPlaying = false;
let round = 0;
let painted = async () => {};

/// Playback waits for the grid, so a slow server makes it slower instead of skipping pictures.
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

/// Steps are at least 50 ms apart, so a high speed skips transactions.
function pace() {
  const speed = byId("speed").value;
  const span = store.head.position - store.first.position;
  const perSecond = speed === "whole" ? Math.max(1, span / 30) : Number(speed);
  const wait = Math.max(50, 1000 / perSecond);
  return { wait, skip: Math.max(1, Math.round(perSecond * wait / 1000)) };
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
    const { wait, skip } = pace();
    await pause(Math.max(10, wait - (performance.now() - began)));
    if (!isPlaying || mine !== round) return;
    const next = shownPosition() + skip;
    change({ at: next >= store.head.position ? null : next }, { replaces: true });
    if (state.at === null) stopPlaying();
  }
}
