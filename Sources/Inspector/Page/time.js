import { byId, fill, say } from "./dom.js";
import { counted, get, rested } from "./api.js";
import { change, onChange, state } from "./state.js";
import { onHead, onInfo, shownPosition, store } from "./store.js";
import { compact, plainText, visible } from "./values.js";
import { stopPlaying } from "./play.js";

const slider = byId("slider");
const input = byId("moment");
const error = byId("moment-error");
const moments = new Map();

/// Time without fractions of a second. All times of the page are UTC.
export const shortTime = time => time.replace(/\.\d+$/, "");

export function goTo(position, options) {
  const { first, head } = store;
  const bounded = Math.max(first.position, Math.min(position, head.position));
  change({ at: bounded >= head.position ? null : bounded }, options);
}

/// Steps come from keys and buttons, so the live region reports each new moment.
let isAnnounced = false;

export function step(by) {
  stopPlaying();
  isAnnounced = true;
  goTo(shownPosition() + by);
}

export async function moment(position) {
  if (position === store.head?.position) return store.head;
  if (!moments.has(position)) {
    if (moments.size > 5000) moments.clear();
    moments.set(position, await get("moment", { position }));
  }
  return moments.get(position);
}

const describeSoon = rested(30, async position => {
  try {
    const found = await moment(position);
    if (shownPosition() === position) showMoment(found);
  } catch (failure) {
    if (shownPosition() === position) showError(failure.message);
  }
});

function showMoment(found) {
  if (!found.time) return fill(byId("moment-text"), "No transaction yet");
  fill(byId("moment-text"), compact({ kind: "date", text: shortTime(found.time) }), " UTC",
    found.author && [" · ", visible(found.author)], found.name && [" · ", visible(found.name)]);
  const text = `Transaction ${found.position}, ${shortTime(found.time)} UTC${state.at === null ? ", now" : ""}`;
  slider.setAttribute("aria-valuetext", text);
  if (isAnnounced) say(text);
  isAnnounced = false;
}

function showError(message) {
  error.hidden = !message;
  fill(error, message ? plainText(message) : "");
}

function show() {
  if (!store.head) return;
  const position = shownPosition();
  slider.min = store.first.position;
  slider.max = store.head.position;
  slider.value = position;
  const span = Math.max(1, store.head.position - store.first.position);
  slider.style.setProperty("--part", (position - store.first.position) / span);
  if (document.activeElement !== input || !input.dataset.isEdited) input.value = "@" + position;
  byId("now").setAttribute("aria-pressed", String(state.at === null));
  document.body.classList.toggle("past", state.at !== null);
  byId("first").disabled = byId("back").disabled = position <= store.first.position;
  byId("forward").disabled = state.at === null;
  showError(null);
  describeSoon(position);
}

async function submit() {
  const text = input.value.trim();
  delete input.dataset.isEdited;
  if (/^now$/i.test(text) || text === "") return change({ at: null });
  stopPlaying();
  const position = text.match(/^@?\s*(\d{1,3}(?:,\d{3})+|\d+)$/)?.[1].replaceAll(",", "");
  try {
    const found = await get("moment", position ? { position } : { time: text });
    moments.set(found.position, found);
    goTo(found.position);
    input.value = "@" + shownPosition();
    say(found.time ? `Transaction ${found.position}, ${shortTime(found.time)} UTC` : "No transaction yet");
  } catch (failure) { showError(failure.message); }
}

/// Small marks under the slider, for example the transactions of the selected object.
export function mark(positions) {
  const span = Math.max(1, store.head.position - store.first.position);
  fill(byId("marks"), positions.slice(0, 400).map(position => {
    const line = document.createElement("i");
    line.style.setProperty("--part", (position - store.first.position) / span);
    return line;
  }));
}

export function startTime() {
  slider.addEventListener("input", () => {
    stopPlaying();
    goTo(slider.valueAsNumber, { replaces: true });
  });
  byId("now").addEventListener("click", () => { stopPlaying(); change({ at: null }); });
  byId("first").addEventListener("click", () => { stopPlaying(); goTo(store.first.position); });
  byId("back").addEventListener("click", () => step(-1));
  byId("forward").addEventListener("click", () => step(1));
  input.addEventListener("focus", () => input.select());
  input.addEventListener("input", () => { input.dataset.isEdited = "true"; });
  input.addEventListener("blur", () => { delete input.dataset.isEdited; show(); });
  input.addEventListener("keydown", event => {
    if (event.key === "Enter") counted(submit);
    if (event.key === "Escape") { delete input.dataset.isEdited; show(); input.blur(); }
  });
  onChange(["at"], show);
  onHead(show);
  onInfo(show);
}
