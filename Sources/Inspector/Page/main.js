import { byId, button, el, errorLine, fill, number, refill, say } from "./dom.js";
import { onConnection, rested } from "./api.js";
import { closeDetail, startDetail } from "./detail.js";
import { showKeys } from "./dialogs.js";
import { startDrafts } from "./drafts.js";
import { endOfCondition, entityName, quoted } from "./fetchtext.js";
import { FetchField } from "./field.js";
import { keepFocus } from "./focus.js";
import { cancelOther, refresh, reload, showRows, startGrid } from "./grid.js";
import { startLive } from "./livestate.js";
import { startLog } from "./log.js";
import { startPlans } from "./plans.js";
import { startPlay } from "./play.js";
import { resumeFirst, startResumed } from "./resumed.js";
import { change, moment, onChange, readAddress, state } from "./state.js";
import { listen, loadStore, onEdited, onHead, onInfo, store } from "./store.js";
import { startTime, step } from "./time.js";
import { plainText, visible } from "./values.js";

const tabs = ["grid", "log", "drafts", "plans", "live"];
/// The fetch whose rows the field has already shown, so that the change of the state does not read them twice.
let tried = null;

const field = new FetchField({
  id: "filter", label: "Filter: the text of a fetch", entities: () => store.info?.entities ?? [],
  attempt: text => tryText(text, true), submit: text => tryText(text, false),
  typed: cancelOther,
});

async function tryText(text, replaces) {
  if (text.trim() === "") return;
  if (text !== state.fetch) {
    await showRows(text);
    tried = text;
    change({ fetch: text }, { replaces });
    tried = null;
  } else await reload();
  if (!replaces) say(`${byId("total").textContent} found`);
}

const usual = entity => entity.fetch || quoted(entity.name);

function showEntities() {
  const current = entityName(state.fetch);
  refill(byId("entities"), el("ul", store.info.entities.map(each => el("li",
    button([el("span.name", visible(each.name)), " ",
      el("span.count", number(each.count ?? 0))], () => change({ fetch: usual(each), tab: "grid" }), {
      class: "entity", "aria-current": each.name === current ? "true" : null, data: { entity: each.name },
    })))));
  byId("store").textContent = plainText(store.info.path) + (store.info.isEditable ? "" : " · read only");
  byId("tab-live").hidden = !store.info.isLive;
  document.title = `${plainText(store.info.path.split("/").at(-1))} – Reprise inspector`;
}

const lostTexts = {
  silent: "The connection to the inspector is lost. The page shows the last data that it received, and tries again "
    + "every two seconds.",
  restarted: "Another inspector answers at this address, and each inspector has a new token. The page shows the last "
    + "data that it received. Open the address that the new inspector has printed.",
  foreign: "Another program answers at this address, so the inspector has ended. The page shows the last data that it "
    + "received. Start the inspector again, and open the address that it prints.",
};

const scrolls = new Map();

function showTab() {
  if (!tabs.includes(state.tab)) state.tab = "grid";
  // A hidden element forgets its place.
  const scrolling = document.querySelectorAll("#log-scroll, #panel-drafts, #panel-plans, #panel-live");
  for (const each of scrolling) if (each.clientHeight > 0) scrolls.set(each.id, each.scrollTop);
  for (const name of tabs) {
    const isHere = name === state.tab;
    byId(`tab-${name}`).setAttribute("aria-selected", String(isHere));
    byId(`tab-${name}`).tabIndex = isHere ? 0 : -1;
    byId(`panel-${name}`).hidden = !isHere;
  }
  document.body.dataset.tab = state.tab;
  for (const each of scrolling) if (each.clientHeight > 0) each.scrollTop = scrolls.get(each.id) ?? 0;
}

function startTabs() {
  for (const name of tabs) byId(`tab-${name}`).addEventListener("click", () => change({ tab: name }));
  byId("tabs").addEventListener("keydown", event => {
    const seen = tabs.filter(name => !byId(`tab-${name}`).hidden);
    const index = seen.indexOf(state.tab);
    const target = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const name = seen.at(target % seen.length);
    change({ tab: name });
    byId(`tab-${name}`).focus();
  });
}

function shortcuts(event) {
  const isTyping = event.target.closest("input:not([type=range]):not([type=radio]), select, textarea");
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
    if (isTyping) isTyping.blur();
    if (state.tab === "grid" && (isTyping || closeDetail())) byId("grid").focus(); else closeDetail();
    return;
  }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const actions = {
    "/": () => {
      change({ tab: "grid" });
      field.input.focus();
      const caret = endOfCondition(field.text);
      field.input.setSelectionRange(caret, caret);
    },
    g: () => {
      change({ tab: "grid" });
      byId("row").focus();
    },
    "[": () => step(-1), "]": () => step(1), "?": showKeys,
  };
  tabs.filter(name => !byId(`tab-${name}`).hidden)
    .forEach((name, index) => { actions[index + 1] = () => change({ tab: name }); });
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

const refreshCounts = rested(60, () => loadStore().catch(() => {}));

function chooseFirst() {
  const [first] = store.info.entities;
  if (!first) fill(byId("entities"), el("p.faint", "The model of the store has no entities."));
  else if (state.fetch === "") change({ fetch: usual(first) }, { replaces: true });
}

function onState(changed) {
  if (state.fetch === "") return chooseFirst();
  if (changed.includes("tab")) showTab();
  const isOther = changed.includes("at") || changed.includes("draft");
  if (isOther) refreshCounts();
  if (changed.includes("fetch")) {
    field.text = state.fetch;
    if (store.info) showEntities();
  }
  const shows = isOther || changed.includes("tab") || state.fetch !== tried;
  if (state.tab === "grid" && shows && state.fetch !== "") reload();
}

async function start() {
  keepFocus();
  addEventListener("keydown", shortcuts);
  byId("skip").addEventListener("click", event => { event.preventDefault(); byId("grid").focus(); });
  byId("help-button").addEventListener("click", showKeys);
  fill(byId("filter-place"), field.node, el("div.under", field.error, el("p", { id: "plan", class: "faint" })));
  startTabs();
  startGrid(field);
  startTime();
  startPlay(() => window.whenIdle());
  onConnection(lost => {
    byId("lost").hidden = !lost;
    fill(byId("lost"), lost && lostTexts[lost]);
    if (!lost && state.tab === "grid" && store.head) reload();
  });
  onInfo(showEntities);
  try { await loadStore(); } catch (error) {
    fill(byId("panel-grid"), errorLine(error));
    showTab();
    document.body.dataset.ready = "true";
    return setTimeout(() => location.reload(), 5000);
  }
  startLog();
  startDetail();
  startDrafts();
  startPlans();
  startLive();
  startResumed();
  onChange(["tab", "at", "draft", "fetch"], onState);
  onEdited(() => {
    if (moment().draft === null) return;
    refreshCounts();
    if (state.tab === "grid") refresh();
  });
  onHead(() => {
    refreshCounts();
    if (state.at === null && state.tab === "grid") refresh();
  });
  await resumeFirst();
  readAddress();
  showTab();
  chooseFirst();
  listen();
  await window.whenIdle();
  document.body.dataset.ready = "true";
}

start();
