export const byId = id => document.getElementById(id);

/// Data reaches the page only as text nodes and attributes. No function of the page reads HTML.
/// `el("p.faint", { title: … }, children…)`: the classes stand after the tag, and the attributes may be missing.
export function el(kind, ...children) {
  const [tag, ...classes] = kind.split(".");
  const node = document.createElement(tag);
  if (classes.length > 0) node.className = classes.join(" ");
  const attributes = children[0]?.constructor === Object ? children.shift() : {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "data") Object.assign(node.dataset, value);
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  return fill(node, children);
}

export function fill(node, ...children) {
  node.replaceChildren(...flat(children));
  return node;
}

function flat(children) {
  return children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false);
}

/// Fills a view again, and keeps its focus and its place. A live update then does not disturb a reader.
export function refill(node, ...children) {
  const stops = () => [...node.querySelectorAll("a, button, input, select, textarea, summary, [tabindex]")];
  const focused = document.activeElement;
  const index = stops().indexOf(focused);
  const scroll = node.scrollTop;
  fill(node, children);
  node.scrollTop = scroll;
  if (index < 0) return;
  const next = (focused.id && byId(focused.id)) || stops()[index];
  next?.focus({ preventScroll: true });
  // The caret of a text.
  if (typeof focused.selectionStart === "number" && next?.value === focused.value) {
    next.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  }
}

export function button(label, action, attributes = {}) {
  return el("button", { type: "button", onclick: action, ...attributes }, label);
}

export const errorLine = error => el("p.error", { role: "alert" }, error.message);

/// A button that reads more. An error stands below it, and the reader can try again.
export function reading(label, action, look = "small") {
  const node = button(label, async () => {
    // A button that is really disabled loses the focus.
    if (node.ariaDisabled === "true") return;
    node.ariaDisabled = "true";
    if (node.nextSibling?.role === "alert") node.nextSibling.remove();
    try { await action(node); } catch (error) { node.after(errorLine(error)); }
    node.ariaDisabled = null;
  }, { class: look });
  return node;
}

/// Items with a parent stand inside it. An item whose parent is missing stands alone.
export function nested(all, node, parent = null) {
  const ids = new Set(all.map(each => each.id));
  return all.filter(each => parent === null ? !ids.has(each.parent) : each.parent === parent)
    .map(each => el("div.branch", node(each), nested(all, node, each.id)));
}

export const unsaved = counts => [["inserted", "new"], ["updated", "changed"], ["deleted", "deleted"]]
  .filter(([key]) => counts[key] > 0).map(([key, word]) => `${plural(counts[key], "object")} ${word}`).join(", ");

let silence = null;

export function say(text) {
  const status = byId("status");
  clearTimeout(silence);
  silence = setTimeout(() => { status.textContent = ""; }, 8000);
  // Browsers read a live region again only if its text differs.
  status.textContent = status.textContent === text ? text + "\u00a0" : text;
}

export const number = value => value.toLocaleString("en-US");
export const plural = (count, one, many = one + "s") => `${number(count)} ${count === 1 ? one : many}`;

export function bytes(count) {
  if (count < 1000) return plural(count, "byte");
  const units = ["kB", "MB", "GB", "TB"];
  let unit = -1;
  do { count /= 1000; unit += 1; } while (count >= 999.5 && unit < units.length - 1);
  return `${count < 10 ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
}

/// Keeps the newest call while one runs, so a fast slider never queues requests.
export function latest(action) {
  let isRunning = false;
  let waiting = null;
  return async function run(...values) {
    waiting = values;
    if (isRunning) return;
    isRunning = true;
    try {
      while (waiting) {
        const next = waiting;
        waiting = null;
        await action(...next);
      }
    } finally { isRunning = false; }
  };
}
