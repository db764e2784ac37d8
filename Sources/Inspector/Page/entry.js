import { button, el, errorLine, plural } from "./dom.js";
import { get } from "./api.js";
import { changeList } from "./changes.js";
import { change, fragment } from "./state.js";
import { openRevert } from "./revert.js";
import { goTo, shortTime } from "./time.js";
import { plainText, visible } from "./values.js";

/// One transaction, in the log and in the history of an object.
export function entryNode(transaction, { isShort = false } = {}) {
  const { position } = transaction;
  const changes = el("div", { class: "changes" }, changeList(transaction.changes ?? [], { withoutObject: isShort }));
  if (transaction.omitted > 0) changes.append(more(transaction, changes));
  return el("article", { class: "entry", data: { position }, "aria-label": `Transaction ${position}` },
    el("header", {},
      el("h3", {}, el("span", { class: "position" }, `@${position}`), " ", transaction.name && visible(transaction.name)),
      el("p", { class: "by" }, transaction.author ? [visible(transaction.author), " · "] : "",
        el("time", {}, shortTime(transaction.time)), " UTC", isShort ? null : facts(transaction)),
      el("p", { class: "buttons" },
        button("Go to this time", () => goTo(position), { class: "small", title: "Show the whole page after this transaction" }),
        isShort
          ? linkButton("Show in the log", { tab: "log", entry: position })
          : button("Revert…", () => openRevert(position), { class: "small revert" }))),
    metadata(transaction.metadata), changes);
}

export function linkButton(label, patch, look = "small") {
  return el("a", {
    class: "button " + look, href: fragment(patch), onclick: event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      change(patch);
    },
  }, label);
}

function facts(transaction) {
  const counts = [["inserted", "new"], ["updated", "changed"], ["deleted", "deleted"]]
    .filter(([key]) => transaction[key] > 0).map(([key, word]) => `${plural(transaction[key], "object")} ${word}`);
  return [
    counts.length > 0 ? ` · ${counts.join(", ")}` : "",
    transaction.context ? [" · context ", visible(transaction.context)] : "",
    transaction.base !== undefined && transaction.base !== null && transaction.base < transaction.position - 1
      ? el("span", { title: "Other transactions were saved between its start and its save" },
        ` · based on @${transaction.base}`) : "",
    transaction.undoes ? [" · ", el("span", { class: "badge" }, `undoes @${transaction.undoes}`)] : "",
    transaction.supersedes ? [" · ", el("span", { class: "badge" }, `replaces @${transaction.supersedes}`)] : "",
  ];
}

function metadata(values) {
  const pairs = Object.entries(values ?? {});
  if (pairs.length === 0) return null;
  return el("p", { class: "by" }, pairs.map(([key, value]) => [
    el("span", { class: "badge" }, plainText(key), ": ",
      plainText(typeof value === "string" ? value : JSON.stringify(value))), " "]));
}

function more(transaction, changes) {
  const show = button(`Show ${plural(transaction.omitted, "more change")}`, async () => {
    show.disabled = true;
    try {
      const whole = await get("transaction", { position: transaction.position });
      changes.replaceChildren(...changeList(whole.changes));
      if (whole.omitted > 0) changes.append(el("p", { class: "faint" }, `${plural(whole.omitted, "change")} left out.`));
    } catch (error) {
      show.disabled = false;
      show.after(errorLine(error));
    }
  }, { class: "small" });
  return show;
}
