import { button, byId, el, reading } from "./dom.js";
import { getText, post } from "./api.js";
import { state } from "./state.js";
import { tellEdited } from "./store.js";
import { full } from "./values.js";

/// The editors of attributes in a resumed draft. An editor sends its value when it loses the focus.

/// Texts that the draft does not have yet, by place: `{ key, draft, id, name, text, error }`.
const typed = new Map();
/// Whole long texts, by place. They are of one version of the draft.
const opened = new Map();
/// The largest text that the page edits, in bytes. The inspector accepts requests of a megabyte.
const largest = 400_000;
const names = {
  bool: "true or false", int: "a whole number", unsigned: "a whole number from 0", double: "a number",
  string: "a text", date: "a date in UTC", uuid: "a UUID",
};

let turn = Promise.resolve();
/// One request after the other, so that each step of the draft is the user's next one.
export const inTurn = action => turn = turn.then(action);

addEventListener("beforeunload", event => { if (typed.size > 0) event.preventDefault(); });

/// Sends all typed values. Returns one that the draft refuses.
export async function applied() {
  document.activeElement?.blur();
  for (const entry of typed.values()) if (entry.draft === state.draft && !entry.error) send(entry);
  await turn;
  return [...typed.values()].find(each => each.draft === state.draft) ?? null;
}

export function forgetTyped() {
  for (const [key, entry] of typed) if (entry.draft === state.draft) typed.delete(key);
}

const send = entry => inTurn(async () => {
  if (typed.get(entry.key) !== entry || entry.error) return;
  await setValue(entry, entry.text);
});

async function setValue(entry, text) {
  const { key, draft, id, name } = entry;
  try {
    await post("value", { draft, object: id, property: name, text });
    // The user may have typed more meanwhile.
    if (typed.get(key) === entry) typed.delete(key);
    opened.delete(key);
  } catch (error) {
    entry.error = error.message;
    if (!typed.has(key)) typed.set(key, entry);
  }
  tellEdited({ isLocal: true });
}

function reasonToRead(property, value) {
  if (property.isDerived) return "This value is derived from other attributes, so it cannot be edited.";
  if (property.kind === "toOne") return "A relationship cannot be edited here.";
  if (!names[property.kind]) return "Data cannot be edited here.";
  if (value?.kind === "long" && value.count > largest) return "This text is too long to be edited here.";
  return null;
}

/// The editor of an attribute, or its value with the reason why it has none. `again` fills the pane again.
export function editorNode(object, property, place, again) {
  const { name, kind, isOptional } = property;
  const value = object.values[name];
  const reason = reasonToRead(property, value);
  if (reason) return [full(value, place), el("p.faint", reason)];
  const key = JSON.stringify([state.draft, object.id, name]);
  const id = `edit-${name}`;
  let entry = typed.get(key);
  const known = opened.get(key);
  const whole = known?.version === object.version ? known.text : null;
  const stored = kind !== "string" ? object.written[name] ?? null : value?.kind === "long" ? whole : value;
  const isNil = value === null || value === undefined;
  if (!entry && value?.kind === "long" && whole === null) {
    return [full(value, place), reading("Edit", async () => {
      opened.set(key, { version: object.version, text: await getText("value", place) });
      await again();
      byId(id)?.focus();
    })];
  }
  // A browser makes each line end a line feed, and the other ones would be lost.
  if (kind === "string" && /\r/.test(stored ?? "")) {
    return [full(value, place), el("p.faint", "This text has line ends that a browser changes, so it is read only.")];
  }
  const field = fieldNode(kind, isOptional, stored, {
    id, "aria-label": `${name}: ${names[kind]}`, "aria-invalid": entry?.error ? "true" : null,
    "aria-describedby": `${id}-note`, autocomplete: "off", spellcheck: "false", placeholder: isNil ? "nil" : null,
  });
  field.value = entry?.text ?? stored ?? "";
  const error = entry?.error;
  const note = el("p", { id: `${id}-note`, class: error ? "error" : "faint", role: error ? "alert" : null },
    error ?? hint(kind));
  note.hidden = !entry;
  const set = text => inTurn(() => {
    typed.delete(key);
    return setValue({ key, draft: state.draft, id: object.id, name, text: text ?? "" }, text);
  });
  field.addEventListener("input", () => {
    entry = { key, draft: state.draft, id: object.id, name, text: field.value, error: null };
    if (field.value === (stored ?? "")) typed.delete(key); else typed.set(key, entry);
    field.removeAttribute("aria-invalid");
    note.className = "faint";
    note.textContent = hint(kind);
    note.hidden = !typed.has(key);
  });
  field.addEventListener("change", () => { if (typed.get(key) === entry && entry) send(entry); });
  field.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) field.blur();
    if (event.key !== "Escape" || !typed.has(key)) return;
    event.stopPropagation();
    typed.delete(key);
    field.value = stored ?? "";
    again();
  });
  return el("div.editor", field, note, el("p.buttons",
    isOptional && !isNil && kind !== "bool" && button("Set to nil", () => set(null), { class: "small" }),
    isNil && kind === "string" && button("Set to an empty text", () => set(""), { class: "small" })));
}

const hint = kind => kind === "string" ? "Ctrl + Enter puts the text into the draft, and Escape takes it back."
  : "Enter puts the value into the draft, and Escape takes it back.";

function fieldNode(kind, isOptional, stored, attributes) {
  if (kind === "string") {
    return el("textarea", { ...attributes, rows: Math.min(12, Math.max(1, (stored ?? "").split("\n").length)) });
  }
  if (kind !== "bool") {
    return el("input", { ...attributes, inputmode: ["int", "unsigned", "double"].includes(kind) ? "decimal" : null });
  }
  return el("select", attributes, isOptional && el("option", { value: "" }, "nil"),
    ["true", "false"].map(each => el("option", { value: each }, each)));
}
