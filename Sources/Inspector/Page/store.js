import { get, isLost, onConnection, setLost } from "./api.js";
import { connect } from "./events.js";
import { state } from "./state.js";

/// The description of the store, and its events.
export const store = { info: null, head: null, first: null };
const headListeners = [];
const draftListeners = [];
const infoListeners = [];

export const onHead = listener => headListeners.push(listener);
export const onDrafts = listener => draftListeners.push(listener);
export const onInfo = listener => infoListeners.push(listener);

export async function loadStore() {
  const info = await get("store", { at: state.at });
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

const actions = {
  open: () => {
    setLost(false);
    // Changes of drafts while the connection was lost send no event.
    draftListeners.forEach(listener => listener());
  },
  head: ({ moment }) => noteHead(moment),
  drafts: () => draftListeners.forEach(listener => listener()),
  error: () => setLost(true),
};

/// A port of the worker that all tabs share. A browser without shared workers reads the events in this tab.
function eventPort() {
  if (typeof SharedWorker !== "undefined") return new SharedWorker("events.js", { type: "module" }).port;
  const { port1, port2 } = new MessageChannel();
  connect(port1);
  return port2;
}

export function listen() {
  port = eventPort();
  port.onmessage = ({ data }) => actions[data.kind](data);
}

addEventListener("pagehide", () => port?.postMessage("end"));
// The browser may show the page again as it was.
addEventListener("pageshow", event => { if (event.persisted && port) listen(); });

onConnection(lost => {
  if (lost) setTimeout(retry, 2000);
  else loadStore().then(() => draftListeners.forEach(listener => listener())).catch(() => {});
});

async function retry() {
  if (!isLost) return;
  try {
    await loadStore();
    port?.postMessage("again");
  } catch { setTimeout(retry, 2000); }
}
