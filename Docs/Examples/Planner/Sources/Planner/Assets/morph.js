/// The text of each field, as the page has shown it last.
export const shownTexts = new WeakMap();

/// Makes an element's content equal to markup, and keeps elements that stay, with their focus and selection.
///
/// `isAhead` says whether a field has a newer text than the markup.
export function morph(element, html, isAhead) {
  const template = document.createElement("template");
  template.innerHTML = html;
  children(element, template.content, isAhead);
}

function children(parent, wanted, isAhead) {
  const named = new Map();
  for (const child of parent.children) if (child.id) named.set(child.id, child);
  let place = parent.firstChild;
  for (const next of [...wanted.childNodes]) {
    let kept = next.id ? named.get(next.id) : place;
    // An element with an ID stays for its own successor.
    if (kept && (!isSame(kept, next) || (!next.id && kept.id))) kept = null;
    if (!kept) {
      parent.insertBefore(next, place);
      continue;
    }
    if (kept === place) place = place.nextSibling;
    else parent.insertBefore(kept, place);
    if (kept.nodeType === Node.TEXT_NODE) {
      if (kept.data !== next.data) kept.data = next.data;
    } else if (kept.nodeType === Node.ELEMENT_NODE) {
      update(kept, next, isAhead);
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

const isSame = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName
  && (a.dataset?.field ?? "") === (b.dataset?.field ?? "") && (a.dataset?.do ?? "") === (b.dataset?.do ?? "");

function update(element, next, isAhead) {
  for (const { name, value } of [...next.attributes]) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  for (const { name } of [...element.attributes]) if (!next.hasAttribute(name)) element.removeAttribute(name);
  if (element.dataset?.field) return setField(element, next, isAhead);
  children(element, next, isAhead);
}

function setField(field, next, isAhead) {
  if (field.nodeName === "SELECT") children(field, next, isAhead);
  if (isAhead(field)) return;
  if (field.type === "checkbox") {
    field.checked = next.hasAttribute("checked");
  } else if (field.nodeName === "SELECT") {
    field.value = [...next.options].find(option => option.hasAttribute("selected"))?.value ?? "";
  } else {
    const value = field.nodeName === "TEXTAREA" ? next.textContent : next.getAttribute("value") ?? "";
    shownTexts.set(field, value);
    if (field.value === value) return;
    const isFocused = document.activeElement === field;
    const [start, end] = isFocused ? [field.selectionStart, field.selectionEnd] : [0, 0];
    field.value = value;
    try { if (isFocused) field.setSelectionRange(start, end); } catch { /* no text */ }
  }
}
