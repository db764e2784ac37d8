/// Keeps the focus near its place when the focused element disappears or becomes disabled.
///
/// A browser then moves the focus to the body, and a reader with a keyboard begins at the top of the page again.
const kinds = "a[href], button, input, select, textarea, summary, [tabindex]";
const stops = node => [...node.querySelectorAll(kinds)].filter(each => each.tabIndex >= 0);
const isUsable = node => node.isConnected && !node.matches(":disabled") && node.checkVisibility();

/// The element that has the focus, and its place in each element around it.
let last = null;

function remember(node) {
  const around = [];
  for (let each = node.parentElement; each && each !== document.body; each = each.parentElement) {
    around.push({ node: each, index: stops(each).indexOf(node) });
  }
  // A dialog gives the focus back, but the button that opened it may be gone.
  const dialog = node.closest("dialog");
  const beneath = !dialog ? null : dialog.contains(last?.node ?? null) ? last.beneath : last;
  last = { node, around, beneath };
}

/// The nearest element after the place, or else the last one before it.
function nearest({ node, around }) {
  if (isUsable(node)) return node;
  for (const { node: each, index } of around) {
    if (!isUsable(each)) continue;
    const all = stops(each);
    const found = all.slice(Math.max(index, 0)).find(isUsable) ?? all.findLast(isUsable);
    if (found) return found;
  }
  return null;
}

function restore() {
  const now = document.activeElement;
  if (!last || isUsable(last.node) || (now && now !== document.body && now !== last.node)) return;
  const next = nearest(last) ?? (last.beneath && nearest(last.beneath));
  next?.focus({ preventScroll: true });
}

export function keepFocus() {
  addEventListener("focusin", event => remember(event.target));
  addEventListener("focusout", ({ target }) => {
    // A click beside all elements moves the focus to the body, and so does Escape in a field.
    setTimeout(() => { if (last?.node === target && isUsable(target)) last = null; });
  });
  new MutationObserver(restore).observe(document.body,
    { subtree: true, childList: true, attributeFilter: ["hidden", "disabled", "open"] });
}
