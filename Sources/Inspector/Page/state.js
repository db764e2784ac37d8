/// The state of the page, in the fragment of its address. Reloading and Back therefore restore the view.

const defaults = {
  tab: "grid", fetch: "", at: null, draft: null, object: null, property: null, entry: null,
  author: "", entity: "", of: "", from: "", to: "",
};
export const state = { ...defaults };
const listeners = [];

export function onChange(keys, action) {
  listeners.push({ keys, action });
}

/// The state of the store that the page shows, as parameters of a request. A draft has no past.
export const moment = () => ({ at: state.at, draft: state.at === null ? state.draft : null });

function parse(fragment) {
  const read = new URLSearchParams(fragment.replace(/^#/, ""));
  const result = { ...defaults };
  for (const name of Object.keys(defaults)) {
    if (read.has(name)) result[name] = read.get(name);
  }
  for (const name of ["at", "entry"]) {
    const position = Number.parseInt(result[name], 10);
    result[name] = Number.isSafeInteger(position) && position >= 0 ? position : null;
  }
  return result;
}

export function fragment(patch = {}) {
  const merged = { ...state, ...patch };
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(merged)) {
    if (value !== defaults[name] && value !== null) written.set(name, value);
  }
  return "#" + written.toString();
}

/// `replaces`: playback and arrow keys change the current entry of the browser's history instead of adding one.
export function change(patch, { replaces = false } = {}) {
  const changed = Object.keys(patch).filter(name => state[name] !== patch[name]);
  if (changed.length === 0) return;
  Object.assign(state, patch);
  const address = fragment();
  if (replaces) replaceSoon(address); else {
    writeWaiting();
    history.pushState(null, "", address);
  }
  tell(changed);
}

// Browsers refuse more than about 200 changes of the address in some seconds.
let waitingAddress = null;
function replaceSoon(address) {
  if (waitingAddress === null) setTimeout(writeWaiting, 150);
  waitingAddress = address;
}
function writeWaiting() {
  if (waitingAddress !== null) history.replaceState(null, "", waitingAddress);
  waitingAddress = null;
}

function tell(changed) {
  for (const { keys, action } of listeners) {
    if (keys.some(key => changed.includes(key))) action(changed);
  }
}

export function readAddress() {
  waitingAddress = null;
  const read = parse(location.hash);
  const changed = Object.keys(read).filter(name => state[name] !== read[name]);
  Object.assign(state, read);
  tell(changed);
}

addEventListener("popstate", readAddress);
addEventListener("pagehide", writeWaiting);
