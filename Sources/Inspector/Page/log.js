import { button, byId, el, errorLine, fill, say } from "./dom.js";
import { get, rested } from "./api.js";
import { entryNode } from "./entry.js";
import { change, onChange, state } from "./state.js";
import { onHead, onInfo, store } from "./store.js";
import { plainText } from "./values.js";

const panel = byId("panel-log");
const list = el("div", { id: "log", role: "feed", "aria-label": "Transactions, newest first" });
const end = el("p.end.faint");
const notice = el("p.notice", { hidden: true });
const inputs = {};
let next = null;
let newest = 0;
let generation = 0;
let isStale = true;
let isReading = false;

// The state has `of` for the object of the filter, because `object` is the selected one.
const fields = [
  ["author", "Author", "Any author"], ["entity", "Entity", "Any entity"],
  ["of", "Object", "Any object, such as Note/0189…"],
  ["from", "From", "2026-11-20 or @12"], ["to", "To", "2026-11-20 18:30 or @99"],
];
const filterKeys = fields.map(([key]) => key);

export function startLog() {
  const apply = () => change(
    { ...Object.fromEntries(filterKeys.map(key => [key, inputs[key].value.trim()])), entry: null });
  const applySoon = rested(500, apply);
  const form = el("form", {
    class: "filters", "aria-label": "Filter of the log",
    onsubmit: event => { event.preventDefault(); applySoon.cancel(); apply(); },
  }, fields.map(([key, label, hint]) => {
    inputs[key] = key === "entity" ? el("select", { id: `log-${key}`, onchange: apply })
      : el("input", {
        id: `log-${key}`, placeholder: hint, autocomplete: "off", spellcheck: "false", oninput: applySoon,
      });
    return el("label", el("span", label), inputs[key]);
  }), el("button", { type: "submit", hidden: true }), button("Clear", () => {
    for (const key of filterKeys) inputs[key].value = "";
    apply();
  }, { class: "small" }));
  fill(panel, form, notice, el("div.scroll", { id: "log-scroll", tabindex: "0" }, list, end));
  new IntersectionObserver(entries => { if (entries.some(each => each.isIntersecting)) readMore(); },
    { root: null, rootMargin: "800px" }).observe(end);
  onChange([...filterKeys, "at", "entry", "tab"], changed => {
    if (changed.some(key => key !== "tab")) isStale = true;
    if (state.tab === "log" && isStale) restart();
  });
  onHead(readNewer);
  onInfo(showFilters);
}

function showFilters() {
  // A menu that changes while it is open closes.
  if (inputs.entity.childElementCount === 0) {
    fill(inputs.entity, el("option", { value: "" }, "Any entity"),
      store.info.entities.map(each => el("option", { value: each.name }, plainText(each.name))));
  }
  for (const key of filterKeys) if (document.activeElement !== inputs[key]) inputs[key].value = state[key];
}

function parameters() {
  const { author, entity, of: object, from, to } = state;
  return { author, entity, object, from, to };
}

async function restart() {
  isStale = false;
  generation += 1;
  if (store.info) showFilters();
  const start = state.entry ?? state.at;
  next = start === null ? undefined : start + 1;
  newest = 0;
  notice.hidden = start === null;
  fill(notice, state.entry !== null
    ? [`The list begins with transaction @${state.entry}. `,
      button("Begin with the newest", () => change({ entry: null }), { class: "small" })]
    : `The page shows the time of @${state.at}, so the list begins there.`);
  isReading = false;
  await readMore(true);
  if (state.entry !== null) list.querySelector(`[data-position="${state.entry}"]`)?.classList.add("target");
}

async function readMore(isFirst = false) {
  if (isReading || state.tab !== "log" || (next === null && !isFirst)) return;
  isReading = true;
  const mine = generation;
  try {
    const answer = await get("log", { ...parameters(), before: next, limit: 30 });
    if (mine !== generation) return;
    if (isFirst) {
      fill(list);
      byId("log-scroll").scrollTop = 0;
    }
    list.append(...answer.transactions.map(each => entryNode(each)));
    newest = Math.max(newest, answer.transactions[0]?.position ?? 0);
    next = answer.next ?? null;
    const isEmpty = list.childElementCount === 0;
    fill(end, next !== null ? "Reading older transactions…" : isEmpty ? "No transaction matches the filter."
      : "These are all transactions that the log still has.");
    if (isFirst && isEmpty) say("No transaction matches the filter.");
  } catch (error) {
    if (mine !== generation) return;
    next = null;
    if (isFirst) fill(list);
    fill(end, errorLine(error), button("Try again", restart, { class: "small" }));
  } finally { if (mine === generation) isReading = false; }
  // The observer reports only changes, so a short page needs another look.
  if (mine === generation && next !== null && end.getBoundingClientRect().top < innerHeight + 800) readMore();
}

/// New transactions go above the list. The browser keeps the reader's place.
async function readNewer() {
  if (state.at !== null || state.entry !== null) return;
  if (state.tab !== "log") { isStale = true; return; }
  const mine = generation;
  try {
    const answer = await get("log", { ...parameters(), limit: 30 });
    if (mine !== generation) return;
    const fresh = answer.transactions.filter(each => each.position > newest);
    const isGap = fresh.length > 0 && fresh.length === answer.transactions.length && answer.next !== null;
    if (isGap && newest > 0) return restart();
    const scroll = byId("log-scroll");
    const before = scroll.scrollHeight;
    list.prepend(...fresh.map(each => {
      const node = entryNode(each);
      node.classList.add("new");
      return node;
    }));
    if (scroll.scrollTop > 0 && !CSS.supports("overflow-anchor", "auto")) {
      scroll.scrollTop += scroll.scrollHeight - before;
    }
    newest = Math.max(newest, fresh[0]?.position ?? 0);
  } catch { /* The lost connection is already on the page. */ }
}
