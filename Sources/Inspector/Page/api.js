/// Requests, their errors, and the state of the connection.

class APIError extends Error {
  constructor(status, answer) {
    super(answer.message ?? `The inspector answered with status ${status}, without a message.`);
    this.status = status;
    this.conflictCount = answer.conflictCount ?? 0;
    this.isClosed = answer.isClosed === true;
    this.place = Number.isInteger(answer.offset) ? answer : null;
  }
}

let running = 0;
const connectionListeners = [];
/// `null` while the inspector answers. "silent" without an answer, "restarted" if another inspector answers, and
/// "foreign" if another program answers.
export let lost = null;

export const onConnection = listener => connectionListeners.push(listener);

export function setLost(value) {
  if (lost === value) return;
  lost = value;
  for (const listener of connectionListeners) listener(value);
}

export function url(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  // A plus sign means a space in forms only, and the server reads it as a plus sign.
  const text = query.toString().replaceAll("+", "%20");
  return `api/${path}${text ? "?" + text : ""}`;
}

async function request(address, options) {
  running += 1;
  try {
    let response;
    try {
      response = await fetch(address, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      setLost("silent");
      throw new APIError(0, { message: "The inspector does not answer. Check that its command still runs." });
    }
    const type = response.headers.get("Content-Type") ?? "";
    // The inspector answers with its page at one address only, and other servers may do so at each address.
    if (response.ok && !type.startsWith("text/html")) {
      setLost(null);
      return response;
    }
    let answer = {};
    try { answer = await response.json(); } catch { /* The status alone then describes the error. */ }
    // The server refuses long headers before it reads the request.
    if ([400, 414, 431].includes(response.status) && typeof answer.message !== "string") {
      throw new APIError(response.status, { message: "The request is too long for the inspector. Shorten the fetch." });
    }
    setLost(answer.isRefused ? "restarted" : typeof answer.message === "string" ? null : "foreign");
    throw new APIError(response.status, answer);
  } finally { running -= 1; }
}

export async function get(path, parameters, signal) {
  return await counted(async () => (await request(url(path, parameters), { signal })).json());
}

export async function getText(path, parameters) {
  return await counted(async () => (await request(url(path, parameters))).text());
}

export async function post(path, body) {
  return await counted(async () => (await request(url(path), {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  })).json());
}

/// Work that the page waits for, such as the pause after typing, also keeps `whenIdle` waiting.
export async function counted(action) {
  running += 1;
  try { return await action(); } finally { running -= 1; }
}

export const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));
const frame = () => new Promise(done => requestAnimationFrame(done));

window.whenIdle = async () => {
  for (let quiet = 0; quiet < 2;) {
    await frame();
    quiet = running === 0 ? quiet + 1 : 0;
  }
};

/// Delays the action until typing or scrolling rests, and counts the delay as running.
export function rested(milliseconds, action) {
  let timer = null;
  const cancel = () => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    running -= 1;
  };
  const call = (...values) => {
    cancel();
    running += 1;
    timer = setTimeout(async () => {
      timer = null;
      try { await action(...values); } finally { running -= 1; }
    }, milliseconds);
  };
  call.cancel = cancel;
  return call;
}
