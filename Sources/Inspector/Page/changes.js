import { el, plural } from "./dom.js";
import { compact, objectLink, visible } from "./values.js";
import { differenceNode } from "./words.js";

const verbs = { inserted: "Inserted", updated: "Updated", deleted: "Deleted", erased: "Erased" };

/// The changed objects of a transaction, a draft or a context, with old and new values.
export function changeList(changes, { withoutObject = false } = {}) {
  return changes.map(change => el("section", { class: `change ${verbs[change.kind] ? change.kind : ""}` },
    el("h4", el("span.verb", verbs[change.kind] ?? visible(change.kind)), " ",
      withoutObject ? null : objectLink(change.object, change.label)),
    (change.properties ?? []).length > 0
      && el("dl.properties", change.properties.map(property => propertyChange(property, change.kind)))));
}

function propertyChange(change, kind) {
  return el("div", { data: { property: change.property } },
    el("dt", visible(change.property)), el("dd", described(change, kind)));
}

function described(change, kind) {
  if (change.isErased) return el("span.nil", "erased: its values are no longer in the log");
  if (change.isMoved) return "its place in the order changed";
  if (Array.isArray(change.added ?? change.removed)) {
    return el("div.members",
      (change.removed ?? []).map(id => el("del", objectLink(id))),
      (change.added ?? []).map(id => el("ins", objectLink(id))));
  }
  if (change.removedCount !== undefined || change.insertedCount !== undefined) {
    return `From byte ${change.offset}: ${plural(change.removedCount ?? 0, "byte")} replaced by `
      + plural(change.insertedCount ?? 0, "byte");
  }
  if (change.offset !== undefined) {
    return el("div", differenceNode(change.removed ?? "", change.inserted ?? ""),
      el("span.faint", `at byte ${change.offset} of the text`));
  }
  return oldAndNew(change.old, change.new, kind);
}

const textOf = value => typeof value === "string" ? value : value?.kind === "long" ? value.text : null;

function oldAndNew(before, after, kind) {
  if (kind === "inserted") return el("ins", compact(after));
  if (kind === "deleted" || kind === "erased") return el("del", compact(before));
  const [a, b] = [textOf(before), textOf(after)];
  if (a !== null && a === b) {
    return el("span.faint", `The texts differ after the first ${plural([...a].length, "character")}.`);
  }
  if (a !== null && b !== null && Math.max(a.length, b.length) > 40) {
    return el("div", differenceNode(a, b), longNote(before, after));
  }
  return [el("del", compact(before)), el("span.arrow", { "aria-label": "became" }, " → "),
    el("ins", compact(after))];
}

function longNote(before, after) {
  if (before.kind !== "long" && after.kind !== "long") return null;
  return el("span.faint", "The first 300 characters of a longer text are compared.");
}

