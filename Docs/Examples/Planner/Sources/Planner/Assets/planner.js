// The page of a window. The server renders the regions. The page sends each input with a number, keeps it until it
// survives a kill of the server, and sends it again after a reconnection.
import { morph, shownTexts } from "./morph.js";
import { Inputs, nameOf } from "./inputs.js";
import { scrolled, showRows } from "./rows.js";

const body = document.body;
const path = `/w/${body.dataset.window}`;
const status = document.getElementById("connection");
const inputs = new Inputs(body.dataset.window, send);
let isSending = false;
let isConnected = false;
let statusTimer = null;

// MARK: Sending

async function send() {
  if (isSending || !isConnected || inputs.unsent.length === 0) return;
  isSending = true;
  try {
    while (isConnected && inputs.unsent.length > 0) {
      const batch = inputs.batch();
      const first = batch[0].number;
      inputs.sent(batch);
      const response = await fetch(`${path}/inputs`, {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ page: inputs.page, inputs: batch, hasGap: inputs.hasGap }),
      });
      if (response.status === 400 || response.status === 413) {
        refused(batch);
        continue;
      }
      if (!response.ok) throw new Error(`status ${response.status}`);
      const { applied } = await response.json();
      // The server has forgotten this page, or lacks an input that was safe.
      if (applied + 1 < first) throw new Error("The server lacks earlier inputs.");
      inputs.applied(applied);
      inputs.limit = 100;
      delay = 0;
    }
  } catch {
    // The server has ended, or another process has the window now. The new connection reports the inputs that it has.
    reconnect();
  } finally {
    isSending = false;
  }
}

/// The server does not take a request. The inputs are sent one by one, and a refused one is left out.
function refused(batch) {
  inputs.applied(batch[0].number - 1);
  if (batch.length > 1) {
    inputs.limit = 1;
    return;
  }
  inputs.drop(batch[0].number);
  showStatus("The server cannot take your last input. It is still on this page.");
}

// MARK: Receiving

let source = null;
let delay = 0;

function connect() {
  source?.close();
  const current = source = new EventSource(`${path}/events?page=${inputs.page}`);
  const on = (name, action) => current.addEventListener(name, event => {
    if (current === source) action(JSON.parse(event.data));
  });
  on("hello", message => {
    isConnected = true;
    showStatus("");
    inputs.restart(message.applied);
    if (inputs.areSent) delay = 0; else send();
  });
  on("region", message => show(message));
  on("applied", message => {
    inputs.safe(message.safe);
    inputs.applied(message.applied);
    restUnseen();
  });
  current.onerror = () => { if (current === source) reconnect(); };
}

function reconnect() {
  isConnected = false;
  source?.close();
  source = null;
  // A new connection within a second is not worth a word.
  if (statusTimer === null) statusTimer = setTimeout(() => { status.textContent = "Reconnecting…"; }, 1000);
  setTimeout(connect, delay);
  delay = Math.min(1000, delay * 2 + 20);
}

/// A browser has six connections to a server for all its tabs, and each stream of events needs one. So a tab that
/// nobody sees has no stream once its inputs are safe.
function restUnseen() {
  if (!document.hidden || !inputs.areSafe) return;
  isConnected = false;
  source?.close();
  source = null;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) restUnseen(); else if (source === null) connect();
});

function showStatus(text) {
  clearTimeout(statusTimer);
  statusTimer = null;
  status.textContent = text;
}

function show({ name, html, input }) {
  const region = document.getElementById(name);
  morph(region, html, field => inputs.isAhead(fieldName(field), input));
  if (name === "rows") showRows();
}

// MARK: The person

function target(element) {
  return { editor: element.closest("[data-editor]")?.dataset.editor, field: element.dataset.field };
}

const fieldName = element => nameOf(target(element));

function selection(element) {
  try {
    return { start: element.selectionStart ?? 0, end: element.selectionEnd ?? 0 };
  } catch {
    return { start: 0, end: 0 };
  }
}

body.addEventListener("input", event => {
  const field = event.target;
  if (!field.dataset?.field) return;
  const text = field.type === "checkbox" ? String(field.checked) : field.value.toWellFormed();
  const from = hasText(field) ? shownTexts.get(field) ?? field.defaultValue : undefined;
  shownTexts.set(field, text);
  inputs.add({ action: "edit", ...target(field), text, from, ...selection(field) }, fieldName(field));
});

/// Whether the edits of two people to a field can be merged.
const hasText = field => field.nodeName === "TEXTAREA" || field.type === "text";

body.addEventListener("click", event => {
  const button = event.target.closest?.("[data-do]");
  if (!button) return;
  event.preventDefault();
  if (button.dataset.confirm && !confirm(button.dataset.confirm)) return;
  act(button, button.dataset.do, button.dataset.text);
});

function act(element, action, text) {
  inputs.add({ action, editor: element.closest("[data-editor]")?.dataset.editor, text });
}

body.addEventListener("submit", event => event.preventDefault());

body.addEventListener("keydown", event => {
  const field = event.target;
  const editor = field.closest?.("[data-editor]");
  if (event.key === "Enter" && field.dataset?.enter && !event.isComposing) {
    event.preventDefault();
    act(field, field.dataset.enter);
  } else if (editor && (event.ctrlKey || event.metaKey) && !event.altKey) {
    const key = event.key.toLowerCase();
    const action = key === "z" ? (event.shiftKey ? "redo" : "undo") : key === "y" ? "redo" : key === "s" ? "save" : null;
    if (!action) return;
    // The undo of the browser would not know the edits from before a restart.
    event.preventDefault();
    act(field, action);
  }
});

document.addEventListener("selectionchange", () => {
  const field = document.activeElement;
  if (!field?.dataset?.field) return;
  const name = fieldName(field);
  inputs.addLater({ action: "focus", field: name, ...selection(field) }, "focus");
});

scrolled((row, offset) => inputs.addLater({ action: "scroll", row, start: offset }, "scroll"));

// MARK: Start

function withField(name, action) {
  for (const field of document.querySelectorAll("[data-field]")) if (fieldName(field) === name) action(field);
}

/// The field that had the focus, also before a restart or on another page.
function restoreFocus(name, start, end) {
  withField(name, field => {
    field.focus({ preventScroll: true });
    try { field.setSelectionRange(start, end); } catch { /* no text */ }
  });
}

/// Shows the inputs from before a reload that the server does not have yet.
function showKept() {
  let { focus: name, start, end } = body.dataset;
  for (const input of inputs.unsent) {
    if (input.action !== "edit") continue;
    const field = nameOf(input);
    inputs.note(input.number, field);
    withField(field, element => {
      if (element.type === "checkbox") element.checked = input.text === "true"; else element.value = input.text;
      shownTexts.set(element, input.text);
    });
    [name, start, end] = [field, input.start, input.end];
  }
  if (name) restoreFocus(name, Number(start), Number(end));
}

/// Sends what the person typed before this script was loaded.
function sendEarly() {
  for (const field of document.querySelectorAll("input[data-field], textarea[data-field]")) {
    const isChanged = field.type === "checkbox" ? field.checked !== field.defaultChecked
      : field.value !== field.defaultValue;
    if (isChanged) field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

window.hasStream = () => source !== null;

window.whenIdle = async () => {
  const frame = () => new Promise(done => requestAnimationFrame(done));
  for (let quiet = 0; quiet < 2;) {
    await frame();
    quiet = isConnected && !isSending && inputs.areSent ? quiet + 1 : 0;
  }
};

// A page from the cache of the browser has lost its connection.
window.addEventListener("pageshow", event => { if (event.persisted) reconnect(); });

showRows();
sendEarly();
showKept();
connect();
await window.whenIdle();
body.dataset.ready = "true";
