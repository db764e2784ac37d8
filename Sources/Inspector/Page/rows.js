import { el, fill, number, say } from "./dom.js";
import { compact, describe, plainText, shortID } from "./values.js";

export const cellID = (row, column) => `c-${row}-${column}`;

export function rowNode(index) {
  return el("div", { role: "row", class: "row", "aria-rowindex": index + 2, data: { row: index } });
}

export function fillRow(node, index, row, columns) {
  if (!row) {
    node.className = "row loading";
    delete node.dataset.id;
    return fill(node, el("div", { role: "gridcell", class: "cell", id: cellID(index, 0) }, "…"));
  }
  node.className = row.isUnsaved ? "row unsaved" : row.isNew ? "row new" : "row";
  node.dataset.id = row.id;
  const [changed, unsaved] = [new Set(row.changed ?? []), new Set(row.unsaved ?? [])];
  return fill(node, columns.map((column, place) => {
    const cell = el("div", {
      role: "gridcell", id: cellID(index, place), class: `cell ${column.align} ${column.kind}`,
      "aria-colindex": place + 1, data: { property: column.name },
    }, content(row, column));
    // The keys of the grid reach each cell, so Tab leaves the grid at once.
    for (const link of cell.querySelectorAll("a")) link.tabIndex = -1;
    if (changed.has(column.name)) {
      cell.classList.add("changed");
      cell.append(el("span.unseen", " (changed)"));
    }
    if (unsaved.has(column.name)) {
      cell.classList.add("unsaved");
      cell.append(el("span.unseen", " (unsaved)"));
    }
    return cell;
  }));
}

function content(row, column) {
  if (column.kind === "id") return el("span.code.faint", { title: plainText(row.id) }, plainText(shortID(row.id)));
  if (column.kind === "toMany") {
    const count = row.members?.[column.name];
    if (count === 0) return el("span.nil", "none");
    return el("span.link", count === undefined ? "show" : number(count));
  }
  return compact(row.values[column.name]);
}

function textOfCell(row, column) {
  if (column.kind === "id") return row.id;
  if (column.kind === "toMany") return String(row.members?.[column.name] ?? "");
  const value = row.values[column.name];
  return typeof value === "string" ? value : describe(value);
}

export async function copyCell(row, column) {
  if (!row || !column) return;
  try {
    await navigator.clipboard.writeText(textOfCell(row, column));
    say(`Copied ${describe(textOfCell(row, column))}`);
  } catch { say("The browser does not allow copying here."); }
}

/// For a step back in time the server cannot name the changes, so the page compares the rows that it had.
export function markDifferences(old, rows) {
  const before = new Map();
  for (const [, row] of old) before.set(row.id, row);
  if (before.size === 0) return;
  for (const row of rows) {
    const known = before.get(row.id);
    if (!known) continue;
    row.changed = Object.keys(row.values).filter(name =>
      JSON.stringify(row.values[name]) !== JSON.stringify(known.values[name]));
  }
}
