export const byId = id => document.getElementById(id);

/// Data reaches the page only as text nodes and attributes. No function of the page reads HTML.
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "data") Object.assign(node.dataset, value);
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...flat(children));
  return node;
}

export function fill(node, ...children) {
  node.replaceChildren(...flat(children));
  return node;
}

function flat(children) {
  return children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false);
}

export function button(label, action, attributes = {}) {
  return el("button", { type: "button", onclick: action, ...attributes }, label);
}

export function errorLine(error) {
  return el("p", { class: "error", role: "alert" }, error.message);
}

export function say(text) {
  const status = byId("status");
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
