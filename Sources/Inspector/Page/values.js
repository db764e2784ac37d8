import { bytes, el, fill, reading } from "./dom.js";
import { getText, url } from "./api.js";
import { change, fragment } from "./state.js";

// Controls, marks that change the direction, invisible signs, lone surrogates and tags.
// A joiner inside an emoji stays, because the sign would fall apart without it.
const hidden = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e"
  + "\\u200b\\u200c\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\ud800-\\udfff"
  + "\\u{e0000}-\\u{e0fff}]|(?<![\\p{Extended_Pictographic}\\ufe0f\\u{1f3fb}-\\u{1f3ff}])\\u200d", "gu");
const short = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0" };
const escaped = sign => short[sign] ?? `\\u{${sign.codePointAt(0).toString(16)}}`;

/// One line of plain text, for attributes and the live region.
export const plainText = text => String(text).replace(hidden, escaped);

/// Nodes of a text with its hidden signs as visible escapes. `isBlock` keeps the line ends of a long text.
export function visible(text, isBlock = false) {
  text = String(text);
  const holder = el("bdi");
  let start = 0;
  for (const match of text.matchAll(hidden)) {
    if (isBlock && (match[0] === "\n" || match[0] === "\t")) continue;
    if (match.index > start) holder.append(text.slice(start, match.index));
    holder.append(el("span.escape", escaped(match[0])));
    start = match.index + match[0].length;
  }
  holder.append(start === 0 ? text : text.slice(start));
  return holder;
}

/// The last signs of an ID: the first ones are a time, and equal for objects of one moment.
export function shortID(id) {
  const tail = id.slice(id.lastIndexOf("/") + 1);
  return tail.length > 12 ? "…" + tail.slice(-8) : tail;
}

const entityOf = id => id.slice(0, Math.max(0, id.lastIndexOf("/")));

/// A link to another state of the page. The browser opens it in a new tab, if the reader wants.
export function stateLink(label, patch, attributes) {
  return el("a", {
    href: fragment(patch), ...attributes,
    onclick: event => {
      event.stopPropagation();
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      change(patch);
    },
  }, label);
}

export const linkButton = (label, patch, look = "small") => stateLink(label, patch, { class: `button ${look}` });

export function objectLink(id, label) {
  const text = label === undefined || label === null || label === "" ? `${entityOf(id)} ${shortID(id)}` : label;
  return stateLink(visible(text), { object: id, property: null }, { class: "link", title: plainText(id) });
}

const isNumber = kind => kind === "int" || kind === "unsigned" || kind === "double";
export const classOfKind = kind => isNumber(kind) ? "number" : kind === "date" ? "date" : kind === "bool" ? "bool" : "";

function plainNumber(value) {
  return Object.is(value, -0) ? "-0" : String(value);
}

/// A value in one line, for a cell of the grid.
export function compact(value) {
  if (value === null || value === undefined) return el("span.nil", "nil");
  if (typeof value === "boolean") return el("span", { class: value ? "true" : "false" }, String(value));
  if (typeof value === "number") return plainNumber(value);
  if (typeof value === "string") return value === "" ? el("span.nil", '""') : visible(value);
  switch (value.kind) {
  case "long": return [visible(value.text), "…"];
  case "date": return dateNode(value.text);
  case "reference": return objectLink(value.id, value.label);
  case "bytes": return el("span.code", value.count === 0 ? "0 bytes" : visible(value.text));
  case "blob": return el("span.faint", `data, ${bytes(value.count)}`);
  case "uuid": return el("span.code", visible(value.text));
  default: return visible(value.text ?? JSON.stringify(value));
  }
}

function dateNode(text) {
  const midnight = text.endsWith(" 00:00:00");
  return el("span.date-text", midnight
    ? [text.slice(0, -9), el("span.faint", text.slice(-9))] : visible(text));
}

/// A value as text, for accessible names and comparisons in messages.
export function describe(value) {
  if (value === null || value === undefined) return "nil";
  if (typeof value !== "object") return plainText(Object.is(value, -0) ? "-0" : value);
  if (value.kind === "reference") return plainText(value.label ?? value.id);
  if (value.kind === "blob" || value.kind === "bytes") return `data, ${bytes(value.count)}`;
  return plainText(value.text ?? "") + (value.kind === "long" ? "…" : "");
}

/// A value with room, for the pane of an object. Long texts and data load on demand.
export function full(value, place) {
  if (value === null || typeof value !== "object") {
    return typeof value === "string" && value !== "" ? el("div.text", visible(value, true)) : compact(value);
  }
  if (value.kind === "long") return longText(value, place);
  if (value.kind === "uuid") return el("span.code.wrap", visible(value.text));
  if (value.kind !== "blob" && value.kind !== "bytes") return compact(value);
  const isBlob = value.kind === "blob";
  return el("div",
    el("span.code.wrap", visible(value.text ?? "")),
    el("p.faint", isBlob ? `Digest of ${bytes(value.count)} of data` : bytes(value.count)),
    place && download(place));
}

const download = place => el("a.button", { href: url("value", place), download: "" }, "Download");

function longText(value, place) {
  const text = el("div.text", visible(value.text, true), "…");
  if (!place) return text;
  const show = reading(`Show all ${bytes(value.count)}`, async () => {
    fill(text, visible(await getText("value", place), true));
    text.classList.add("whole");
    text.tabIndex = 0;
    show.remove();
  });
  return el("div", text, el("p.buttons", show, download(place)));
}
