import { get, lost, onConnection, pause, setLost } from "./api.js";
import { connect } from "./events.js";
import { moment, state } from "./state.js";

/// The description of the store, and its events.
export const store = { info: null, head: null, first: null };
const headListeners = [];
const draftListeners = [];
const infoListeners = [];
const editListeners = [];

export const onHead = listener => headListeners.push(listener);
export const onDrafts = listener => draftListeners.push(listener);
export const onInfo = listener => infoListeners.push(listener);

/// The edits of the resumed draft have changed, or a value that the user typed was refused (`isLocal`).
export const onEdited = listener => editListeners.push(listener);

let quiet = 0;

/// Ends a draft. Until the page has left it, nobody reads its objects.
export async function quietly(action) {
  quiet += 1;
  try { return await action(); } finally {
    setTimeout(() => {
      quiet -= 1;
      receiveUnseen();
    });
  }
}

export function tellEdited(edit = {}) {
  if (quiet > 0) return;
  for (const listener of editListeners) listener(edit);
}

export async function loadStore() {
  const info = await get("store", moment());
  store.info = info;
  // A new store has no transaction yet.
  const head = info.head ?? { position: 0, time: "" };
  store.first = info.first ?? head;
  if (store.head) noteHead(head);
  else store.head = head;
  for (const listener of infoListeners) listener(info);
}

export const entity = name => store.info?.entities.find(each => each.name === name) ?? null;

/// The position that the page shows.
export const shownPosition = () => state.at ?? store.head?.position ?? 0;

export function noteHead(moment) {
  const old = store.head;
  if (old && moment.position <= old.position) return;
  store.head = moment;
  for (const listener of headListeners) listener(moment, old);
}

let port = null;
/// The newest event of each kind that came while nobody could see the page.
const unseen = new Map();

const actions = {
  open: () => {
    setLost(null);
    // Changes of drafts while the connection was lost send no event.
    draftListeners.forEach(listener => listener());
  },
  head: ({ moment }) => noteHead(moment),
  drafts: () => draftListeners.forEach(listener => listener()),
  // A request may have found the reason before.
  error: () => { if (!lost) setLost("silent"); },
};

/// A hidden tab waits with all its requests. Ten tabs would otherwise read all their rows at each save.
function receive(event) {
  if (document.hidden || quiet > 0) unseen.set(event.kind === "error" ? "open" : event.kind, event);
  else actions[event.kind](event);
}

function receiveUnseen() {
  if (document.hidden || quiet > 0) return;
  const events = [...unseen.values()];
  unseen.clear();
  for (const event of events) actions[event.kind](event);
}

document.addEventListener("visibilitychange", receiveUnseen);

/// A port of the worker that all tabs share. A browser without shared workers reads the events in this tab.
function eventPort() {
  if (typeof SharedWorker !== "undefined") return new SharedWorker("events.js", { type: "module" }).port;
  const { port1, port2 } = new MessageChannel();
  connect(port1);
  return port2;
}

export function listen() {
  port = eventPort();
  port.onmessage = ({ data }) => receive(data);
}

addEventListener("pagehide", () => port?.postMessage("end"));
// The browser may show the page again as it was.
addEventListener("pageshow", event => { if (event.persisted && port) listen(); });

let isRetrying = false;

onConnection(async reason => {
  if (!reason) return loadStore().then(() => draftListeners.forEach(listener => listener())).catch(() => {});
  if (isRetrying) return;
  isRetrying = true;
  while (lost) {
    await pause(2000);
    try {
      await loadStore();
      port?.postMessage("again");
    } catch { /* The reason is on the page. */ }
  }
  isRetrying = false;
});
