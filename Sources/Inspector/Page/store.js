import { get, isLost, onConnection, setLost } from "./api.js";
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

let source = null;

export function listen() {
  source?.close();
  source = new EventSource("api/events");
  source.addEventListener("open", () => setLost(false));
  source.addEventListener("head", event => noteHead(JSON.parse(event.data)));
  source.addEventListener("drafts", () => draftListeners.forEach(listener => listener()));
  source.addEventListener("error", () => {
    setLost(true);
    // Some browsers stop after an answer with an error, so the page opens the source again itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  });
}

onConnection(lost => {
  if (lost) setTimeout(retry, 2000);
  else loadStore().then(() => draftListeners.forEach(listener => listener())).catch(() => {});
});

async function retry() {
  if (!isLost) return;
  try {
    await loadStore();
    if (source?.readyState !== EventSource.OPEN) listen();
  } catch { setTimeout(retry, 2000); }
}
