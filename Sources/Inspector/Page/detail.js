import { button, byId, el, errorLine, fill, latest, number, plural, reading, refill } from "./dom.js";
import { get } from "./api.js";
import { editorNode } from "./editor.js";
import { entryNode } from "./entry.js";
import { quoted } from "./fetchtext.js";
import { change, moment, onChange, state } from "./state.js";
import { entity, onEdited, onHead, shownPosition } from "./store.js";
import { goTo, mark, shortTime } from "./time.js";
import { compact, full, linkButton, objectLink, plainText, shortID, visible } from "./values.js";

const pane = byId("detail");
let last = "";
let openMembers = new Set();
let history = { id: null, limit: 20, isWhole: false };

export function closeDetail() {
  if (state.object === null) return false;
  change({ object: null, property: null });
  return true;
}

export function startDetail() {
  onChange(["object", "property", "at", "draft"], () => show());
  onEdited(({ isLocal }) => { if (isLocal) showAgain(); else if (moment().draft !== null) show(); });
  onHead(() => { if (state.at === null) show(); });
}

function showAgain() {
  last = "";
  return show();
}

const show = latest(async () => {
  const id = state.object;
  pane.hidden = id === null;
  document.body.classList.toggle("has-detail", id !== null);
  if (id === null) {
    mark([]);
    last = "";
    return fill(pane);
  }
  if (history.id !== id) {
    history = { id, limit: 20, isWhole: false };
    openMembers = new Set();
  }
  const property = history.isWhole ? null : state.property;
  const past = get("history", { id, property, limit: history.limit }).catch(error => ({ error }));
  try {
    const seen = moment();
    const object = await get("object", { id, ...seen });
    const log = await past;
    if (state.object !== id) return;
    const isSame = pane.dataset.id === id;
    const next = JSON.stringify([object, log, state.property, seen, property]);
    if (next === last && isSame) return;
    last = next;
    refill(pane, head(object), values(object, seen), historyNode(log, property));
    pane.dataset.id = id;
    mark(log.error ? [] : log.transactions.map(each => each.position));
    if (!isSame) pane.scrollTop = 0;
    // In a small window the pane covers the page.
    if (!isSame && getComputedStyle(pane).position === "fixed") pane.focus();
    const selected = pane.querySelector(".selected");
    if (selected && pane.scrollHeight > pane.clientHeight) {
      const [top, bottom] = [selected.offsetTop, selected.offsetTop + selected.offsetHeight];
      if (top < pane.scrollTop + 60) pane.scrollTop = Math.max(0, top - 60);
      else if (bottom > pane.scrollTop + pane.clientHeight) pane.scrollTop = bottom - pane.clientHeight;
    }
  } catch (error) {
    last = "";
    if (state.object === id) fill(pane, closeButton(), el("p.code", plainText(id)), errorLine(error));
  }
});

const closeButton = () => button("×", () => { closeDetail(); byId("grid").focus(); },
  { class: "close icon", title: "Close (Escape)", "aria-label": "Close the object" });

function head(object) {
  const fetch = `${quoted(object.entity)} where id == ${quoted(object.entity)}/${object.id.split("/").at(-1)}`;
  return el("header", closeButton(),
    el("p.kind", visible(object.entity)),
    el("h2", object.label ? visible(object.label) : shortID(object.id)),
    el("p.code.faint.wrap", visible(object.id)),
    !object.exists && el("p.notice", object.isDeleted ? "The draft deletes this object."
      : `The object does not exist at @${shownPosition()}. It was deleted before, or inserted later.`),
    object.isUnsaved && el("p.notice", "The draft inserts this object. It is not saved yet."),
    el("p.buttons", linkButton("Show in Objects", { tab: "grid", fetch }),
      linkButton("Show its transactions", { tab: "log", of: object.id, entry: null })));
}

function values(object, seen) {
  if (!object.exists) return null;
  const info = entity(object.entity);
  const names = info?.properties.map(each => each.name) ?? Object.keys(object.values ?? {});
  return el("dl.values", names.map(name => {
    const property = info?.properties.find(each => each.name === name);
    const isMany = property?.kind === "toMany";
    const isSelected = state.property === name;
    return el("div", { class: isSelected ? "selected" : "", data: { property: name } },
      el("dt", visible(name)),
      el("dd", isMany ? members(object, name, isSelected)
        : single(object, property, { id: object.id, property: name, ...seen }),
      unsavedNode(object.unsaved?.[name])
        ?? blame(Object.hasOwn(object.blame ?? {}, name) ? object.blame[name] : null)));
  }));
}

function single(object, property, place) {
  if (!place.draft || !property) return full(object.values[property?.name ?? place.property], place);
  return editorNode(object, property, place, showAgain);
}

/// The value in the store, below an unsaved one.
function unsavedNode(difference) {
  if (!difference) return null;
  const { old, added, removed } = difference;
  return el("div.blame", el("span.badge", "Unsaved"), " ", old !== undefined ? ["In the store: ", compact(old)]
    : `${number(added?.length ?? 0)} added, ${number(removed?.length ?? 0)} removed`);
}

function blame(moment) {
  if (!moment) return null;
  const { position } = moment;
  return el("div.blame", moment.author ? [visible(moment.author), " · "] : "",
    `${shortTime(moment.time)} UTC`, moment.name ? [" · ", visible(moment.name)] : "", el("br"),
    linkButton(`@${position} in the log`, { tab: "log", entry: position }, "plain"),
    position !== shownPosition() && [" · ", button("Go to that time", () => goTo(position), { class: "plain" })]);
}

function members(object, name, isSelected) {
  const total = object.members?.[name];
  if (total === 0) return el("span.nil", "none");
  const list = el("ul.members");
  const more = reading(total === undefined ? "Show the members" : `Show ${plural(total, "member")}`, async () => {
    openMembers.add(name);
    const answer = await get("members",
      { id: object.id, property: name, ...moment(), offset: list.childElementCount, limit: 50 });
    list.append(...answer.members.map(each => el("li", objectLink(each.id, each.label))));
    const left = answer.total - list.childElementCount;
    more.textContent = answer.total === 0 ? "none" : `Show more (${number(left)} left)`;
    more.hidden = left <= 0 || answer.members.length === 0;
  });
  if (isSelected || openMembers.has(name)) more.click();
  return el("div", list, more);
}

function historyNode(log, property) {
  const change = isWhole => { history.isWhole = isWhole; history.limit = 20; show(); };
  const title = el("h3", property ? ["History of ", visible(property)] : "History of the object");
  const toggle = state.property && button(property ? "Show all properties" : ["Only ", visible(state.property)],
    () => change(Boolean(property)), { class: "small" });
  if (log.error) return el("section.history", title, errorLine(log.error));
  const entries = log.transactions.map(each => {
    const node = entryNode(each, { isShort: true });
    if (each.position > shownPosition()) node.classList.add("later");
    if (each.position === shownPosition()) node.classList.add("target");
    return node;
  });
  return el("section.history", title, toggle,
    entries.length === 0 ? el("p.faint", "The log has no change of it.") : entries,
    entries.length >= history.limit
      && button("Show older changes", () => { history.limit *= 4; show(); }, { class: "small" }));
}
