import { el, fill } from "./dom.js";
import { quoted } from "./fetchtext.js";
import { entity } from "./store.js";
import { classOfKind, plainText, visible } from "./values.js";

// Widths in rem, so they grow with the size of text that the reader chose.
const widths = {
  id: 6.5, bool: 4.5, int: 6, unsigned: 6, double: 7, date: 11.5, uuid: 20,
  bytes: 10, blob: 10, toOne: 9, toMany: 6,
};
const growing = { string: 3, toOne: 1 };
const chosen = new Map();
const names = {
  bool: "true or false", int: "whole number", unsigned: "whole number without sign", double: "number", string: "text",
  bytes: "data", blob: "data", date: "date in UTC", uuid: "UUID", toOne: "one", toMany: "many",
};

export function columnsOf(info) {
  return [{ name: "id", kind: "id", path: "id", title: "ID of the object" },
    ...info.properties.map(property => ({
      ...property, path: sortPath(property),
      title: `${property.name}: ${names[property.kind] ?? property.kind}${property.target ? " " + property.target : ""}`
        + (property.isOptional ? ", optional" : "") + (property.isIndexed ? ", with an index" : ""),
    }))].map(column => ({ ...column, key: `${info.name}\n${column.name}`, align: classOfKind(column.kind) }));
}

/// Data has no order that a reader would want, so its heading does not sort.
function sortPath(property) {
  const name = quoted(property.name);
  if (property.kind === "bytes" || property.kind === "blob") return null;
  if (property.kind === "toMany") return `count(${name})`;
  if (property.kind !== "toOne") return name;
  const label = entity(property.target)?.properties.find(each => each.kind === "string");
  return label ? `${name}.${quoted(label.name)}` : `${name}.id`;
}

const widthOf = column => chosen.get(column.key)
  ?? Math.max(widths[column.kind] ?? 14, Math.min(14, column.name.length * 0.55 + 2.5));

export function layOut(canvas, columns) {
  const template = columns.map(column => {
    const grows = chosen.has(column.key) ? 0 : growing[column.kind] ?? 0;
    return grows ? `minmax(${widthOf(column)}rem, ${grows}fr)` : `${widthOf(column)}rem`;
  });
  // Without a text the rest of the width stays empty at the end.
  canvas.style.setProperty("--columns", template.join(" ") + " minmax(0, 0.01fr)");
  canvas.style.setProperty("--width", `${columns.reduce((sum, column) => sum + widthOf(column), 0)}rem`);
}

export function headings(row, columns, keys, { sort, resize }) {
  fill(row, columns.map((column, index) => {
    const place = keys.findIndex(key => key.path === column.path);
    const key = keys[place];
    const direction = key ? (key.isDescending ? "descending" : "ascending") : "none";
    const arrow = key && el("span.sort", { "aria-hidden": "true" },
      key.isDescending ? "↓" : "↑", keys.length > 1 ? String(place + 1) : "");
    const node = el("div", {
      role: "columnheader", id: `h-${index}`, class: `heading ${column.align}`, "aria-colindex": index + 1,
      "aria-sort": column.path ? direction : null, data: { heading: column.name },
      title: plainText(column.title) + (column.path ? "\nClick to sort. Shift-click adds to the order." : ""),
      onclick: event => { if (column.path) sort(column.path, event.shiftKey); },
    }, visible(column.name), arrow, handle(column, resize));
    if (column.path) node.classList.add("sorts");
    return node;
  }));
}

function handle(column, resize) {
  return el("span", {
    class: "handle", "aria-hidden": "true", title: "Drag to change the width",
    onclick: event => event.stopPropagation(),
    onpointerdown: event => {
      const target = event.currentTarget;
      const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
      const begin = target.parentNode.offsetWidth;
      const from = event.clientX;
      target.setPointerCapture(event.pointerId);
      target.onpointermove = move => {
        chosen.set(column.key, Math.max(3, (begin + move.clientX - from) / rem));
        resize();
      };
      target.onpointerup = target.onpointercancel = () => { target.onpointermove = null; };
    },
  });
}

/// For readers without a mouse.
export function widen(column, by, node) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  chosen.set(column.key, Math.max(3, node.offsetWidth / rem + by));
}
