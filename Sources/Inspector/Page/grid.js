import { byId, el, fill, latest, number, plural, reading } from "./dom.js";
import { get, rested } from "./api.js";
import { columnsOf, headings, layOut, widen } from "./columns.js";
import { orderKeys, withOrder } from "./fetchtext.js";
import { RowPages } from "./pages.js";
import { showReach } from "./reach.js";
import { startRowField } from "./rowfield.js";
import { cellID, copyCell, fillRow, markDifferences, rowNode } from "./rows.js";
import { RowScroller } from "./scroll.js";
import { change, moment, state } from "./state.js";
import { entity, shownPosition } from "./store.js";
import { plainText } from "./values.js";

const grid = byId("grid");
const heading = el("div", { role: "row", class: "row headings", "aria-rowindex": 1 });
const body = el("div", { role: "rowgroup", class: "rows" });
const sheet = el("div.sheet", { role: "presentation" }, el("div", { role: "rowgroup" }, heading), body);
const canvas = el("div.canvas", { role: "presentation" }, sheet);
const live = new Map();
let columns = [];
/// The number of rows that the grid can show.
let total = 0;
let active = { row: 0, column: 0 };
/// The fetch and the position of the rows on the screen.
let shown = null;
let field = null;
/// The request for the rows of a fetch, while it runs.
let request = null;

const scroller = new RowScroller(grid, canvas, render);
const pages = new RowPages(
  (offset, limit, signal) => get("rows", { fetch: shown.text, ...shown.moment, offset, limit }, signal),
  () => render(), error => field.show(error));

export function startGrid(filterField) {
  field = filterField;
  fill(grid, canvas);
  new ResizeObserver(measure).observe(grid);
  grid.addEventListener("keydown", key);
  body.addEventListener("click", clicked);
  startRowField(() => total, index => {
    scroller.setTop((index + 0.5) * scroller.rowHeight - scroller.height / 2);
    move(index, active.column);
    grid.focus();
  });
  measure();
}

function measure() {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  scroller.rowHeight = Math.round(rem * 1.875);
  scroller.heading = Math.round(rem * 2.1);
  grid.style.setProperty("--row", `${scroller.rowHeight}px`);
  grid.style.setProperty("--heading", `${scroller.heading}px`);
  sheet.style.height = `${grid.clientHeight}px`;
  scroller.setTotal(total);
  render();
}

const range = () => {
  const first = Math.floor(scroller.top / scroller.rowHeight);
  const end = Math.floor((scroller.top + scroller.height) / scroller.rowHeight);
  return { first, last: Math.max(first, Math.min(total - 1, end)) };
};

/// Reads the rows of the state again. Old rows stay on the screen until the new ones are here.
export function reload() {
  // A moment of the same fetch waits instead. Otherwise a fast slider would show no rows at all.
  cancelOther(state.fetch);
  return reloadLatest();
}

/// Reads the rows after a save, but not before the rows of a typed fetch are here.
export async function refresh() {
  if (request && request.text !== state.fetch) await request.ended;
  return reloadLatest();
}

/// Cancels the request for the rows of another fetch. The server then skips it.
export function cancelOther(text) {
  if (request && request.text !== text) request.controller.abort();
}

const reloadLatest = latest(async () => {
  try {
    await showRows(state.fetch);
    field.show(null);
  } catch (error) {
    if (error.name === "AbortError") return;
    field.text = state.fetch;
    field.show(error);
  }
});

export async function showRows(text) {
  request?.controller.abort();
  const mine = request = { text, controller: new AbortController() };
  mine.ended = new Promise(done => { mine.end = done; });
  const seen = moment();
  const position = shownPosition();
  const isSameFetch = shown?.text === text;
  const distance = isSameFetch ? position - shown.position : 0;
  const visible = isSameFetch ? range() : { first: 0, last: 60 };
  const { offset, limit } = pages.request(visible.first, visible.last);
  grid.setAttribute("aria-busy", "true");
  let answer;
  try {
    // A long jump changes nearly all cells, so only near moments are compared.
    const since = distance > 0 && distance <= 1000 ? shown.position : null;
    answer = await get("rows", { fetch: text, ...seen, since, offset, limit }, mine.controller.signal);
  } finally {
    mine.end();
    if (mine === request) {
      request = null;
      grid.removeAttribute("aria-busy");
    }
  }
  if (distance < 0 && distance >= -1000) markDifferences(pages.rows(), answer.rows);
  const anchor = isSameFetch ? anchorOf(visible.first) : null;
  const selected = isSameFetch ? pages.row(active.row)?.id : state.object;
  if (shown?.entity !== answer.entity) enter(answer.entity);
  else headings(heading, columns, orderKeys(text), { sort, resize });
  shown = { text, moment: seen, position, entity: answer.entity };
  if (!isSameFetch) {
    scroller.top = 0;
    // Enter on a heading sorts, and the reader may want to turn the order next.
    active = { row: total > 0 && active.row < 0 ? -1 : 0, column: Math.min(active.column, columns.length - 1) };
  }
  total = Math.min(answer.total, answer.reach ?? answer.total);
  pages.replace(offset, answer.rows);
  keepPlace(anchor, selected);
  scroller.setTotal(total);
  grid.setAttribute("aria-rowcount", answer.total + 1);
  report(answer);
  live.forEach(node => { node.row = undefined; });
  render();
  fadeSoon();
}

const anchorOf = index => scroller.top > 0 ? { index, id: pages.row(index)?.id } : null;

/// Rows that other processes add above the view move the view with them.
function keepPlace(anchor, selected) {
  for (const [index, row] of pages.rows()) {
    if (anchor && row.id === anchor.id) scroller.top += (index - anchor.index) * scroller.rowHeight;
    if (row.id === selected && active.row >= 0) active.row = index;
  }
  active.row = Math.max(Math.min(active.row, 0), Math.min(active.row, total - 1));
}

/// At "now" marks fade. In the past they stay, because a reader compares two moments there.
const fadeSoon = (() => {
  let timer = null;
  return () => {
    clearTimeout(timer);
    if (state.at !== null) return;
    timer = setTimeout(() => {
      for (const [, row] of pages.rows()) row.changed = row.isNew = undefined;
      body.querySelectorAll(".changed, .new").forEach(node => node.classList.remove("changed", "new"));
    }, 2500);
  };
})();

function enter(name) {
  const info = entity(name) ?? { name, properties: [] };
  columns = columnsOf(info);
  grid.scrollLeft = 0;
  grid.setAttribute("aria-colcount", columns.length);
  grid.setAttribute("aria-label", `Objects of ${plainText(name)}`);
  layOut(canvas, columns);
  headings(heading, columns, orderKeys(state.fetch === "" ? name : field.text), { sort, resize });
}

function sort(path, adds) {
  change({ fetch: withOrder(shown.text, path, adds) });
}
const resize = () => layOut(canvas, columns);

function report(answer) {
  fill(byId("total"), plural(answer.total, "object"));
  showReach(byId("reach"), shown.text, answer);
  const { text } = shown;
  const plan = reading("Show the plan", async () => {
    plan.replaceWith(plainText((await get("plan", { fetch: text, ...shown.moment })).plan));
  }, "plain");
  const isOther = typeof answer.at === "number" && answer.at !== shown.position;
  fill(byId("plan"), isOther && `The text asks for the state at @${answer.at}. `,
    answer.milliseconds !== undefined && `${answer.milliseconds.toFixed(1)} ms · `, plan);
}

function render() {
  if (!shown) return;
  const { first, last } = range();
  for (const [index, node] of live) {
    if (index < first || index > last || index >= total) {
      node.remove();
      live.delete(index);
    }
  }
  let cursor = body.firstChild;
  let isMissing = false;
  for (let index = first; index <= last && index < total; index += 1) {
    let node = live.get(index);
    if (!node) live.set(index, node = rowNode(index));
    const row = pages.row(index);
    isMissing ||= !row;
    if (node.row !== row) {
      node.row = row;
      fillRow(node, index, row, columns);
    }
    node.style.transform = `translateY(${index * scroller.rowHeight - scroller.top}px)`;
    if (node === cursor) cursor = cursor.nextSibling; else body.insertBefore(node, cursor);
  }
  if (isMissing) pages.need(first, last);
  const end = Math.min(total, Math.floor((scroller.top + scroller.height) / scroller.rowHeight));
  fill(byId("range"), total === 0 ? "No object matches"
    : `Rows ${number(first + 1)} to ${number(Math.max(first + 1, end))}`);
  showActive();
}

function showActive() {
  grid.querySelector(".active")?.classList.remove("active");
  grid.querySelector("[aria-selected=true]")?.removeAttribute("aria-selected");
  const node = active.row < 0 ? byId(`h-${active.column}`) : byId(cellID(active.row, active.column));
  if (!node) return grid.removeAttribute("aria-activedescendant");
  node.classList.add("active");
  if (active.row >= 0) node.parentNode.setAttribute("aria-selected", "true");
  grid.setAttribute("aria-activedescendant", node.id);
}

const openSoon = rested(140, () => open(true));

function move(row, column) {
  active = { row: Math.max(-1, Math.min(row, total - 1)), column: Math.max(0, Math.min(column, columns.length - 1)) };
  const y = active.row * scroller.rowHeight;
  if (active.row >= 0 && y < scroller.top) scroller.setTop(y);
  else scroller.setTop(Math.max(scroller.top, y + scroller.rowHeight - scroller.height));
  const header = byId(`h-${active.column}`);
  const fixed = byId("h-0") && getComputedStyle(byId("h-0")).position === "sticky" ? byId("h-0").offsetWidth : 0;
  if (header && active.column > 0) {
    const left = header.offsetLeft;
    if (left - fixed < grid.scrollLeft) grid.scrollLeft = left - fixed;
    else if (left + header.offsetWidth > grid.scrollLeft + grid.clientWidth) {
      grid.scrollLeft = Math.min(left - fixed, left + header.offsetWidth - grid.clientWidth);
    }
  } else if (active.column === 0) grid.scrollLeft = 0;
  render();
  if (state.object !== null && active.row >= 0) openSoon();
}

async function open(replaces) {
  // The rows may still be on their way, for example after End and Enter.
  if (!pages.row(active.row)) await pages.need(active.row, active.row);
  const row = pages.row(active.row);
  const column = columns[active.column];
  if (row && column) change({ object: row.id, property: column.kind === "id" ? null : column.name }, { replaces });
}

function clicked(event) {
  const cell = event.target.closest("[role=gridcell]");
  const index = Number(cell?.parentNode.dataset.row);
  if (!cell || !Number.isInteger(index) || String(getSelection()) !== "") return;
  active = { row: index, column: Number(cell.getAttribute("aria-colindex") ?? 1) - 1 };
  showActive();
  open(false);
}

function key(event) {
  const screen = Math.max(1, Math.floor(scroller.height / scroller.rowHeight) - 1);
  const { row, column } = active;
  const isWide = event.ctrlKey || event.metaKey;
  if (event.altKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
    widen(columns[column], event.key === "ArrowLeft" ? -1 : 1, byId(`h-${column}`));
    resize();
    event.preventDefault();
    return;
  }
  const moves = {
    ArrowUp: [isWide ? 0 : row - 1, column], ArrowDown: [isWide ? total - 1 : row + 1, column],
    ArrowLeft: [row, isWide ? 0 : column - 1], ArrowRight: [row, isWide ? columns.length - 1 : column + 1],
    PageUp: [Math.max(0, row - screen), column], PageDown: [row + screen, column],
    Home: [0, column], End: [total - 1, column],
  };
  if (moves[event.key]) move(...moves[event.key]);
  else if (event.key === "Enter" && row < 0) { if (columns[column].path) sort(columns[column].path, event.shiftKey); }
  else if (event.key === "Enter") {
    open(false).then(() => byId("detail").focus());
  } else if (event.key === " ") follow(pages.row(row), columns[column]);
  else if (event.key === "c" && isWide && String(getSelection()) === "") copyCell(pages.row(row), columns[column]);
  else return;
  event.preventDefault();
}

function follow(row, column) {
  const value = row?.values[column?.name];
  if (value?.kind === "reference") change({ object: value.id, property: null });
  else open(false);
}
