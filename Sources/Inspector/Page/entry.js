import { button, el, fill, plural, reading, unsaved } from "./dom.js";
import { get } from "./api.js";
import { changeList } from "./changes.js";
import { openRevert } from "./revert.js";
import { goTo, shortTime } from "./time.js";
import { linkButton, plainText, visible } from "./values.js";

/// One transaction, in the log and in the history of an object.
export function entryNode(transaction, { isShort = false } = {}) {
  const { position } = transaction;
  const changes = el("div.changes", changeList(transaction.changes ?? [], { withoutObject: isShort }));
  if (transaction.omitted > 0) changes.append(more(transaction, changes));
  return el("article.entry", { data: { position }, "aria-label": `Transaction ${position}` },
    el("header",
      el("h3", el("span.position", `@${position}`), " ", transaction.name && visible(transaction.name)),
      el("p.by", transaction.author ? [visible(transaction.author), " · "] : "",
        el("time", shortTime(transaction.time)), " UTC", isShort ? null : facts(transaction)),
      el("p.buttons",
        button("Go to this time", () => goTo(position), {
          class: "small", title: "Show the whole page after this transaction",
        }),
        isShort
          ? linkButton("Show in the log", { tab: "log", entry: position })
          : button("Revert…", () => openRevert(position), { class: "small revert" }))),
    metadata(transaction.metadata), changes);
}

function facts(transaction) {
  const counts = unsaved(transaction);
  return [
    counts && ` · ${counts}`,
    transaction.context ? [" · context ", visible(transaction.context)] : "",
    transaction.base !== undefined && transaction.base !== null && transaction.base < transaction.position - 1
      ? el("span", { title: "Other transactions were saved between its start and its save" },
        ` · based on @${transaction.base}`) : "",
    transaction.undoes ? [" · ", el("span.badge", `undoes @${transaction.undoes}`)] : "",
    transaction.supersedes ? [" · ", el("span.badge", `replaces @${transaction.supersedes}`)] : "",
  ];
}

function metadata(values) {
  const pairs = Object.entries(values ?? {});
  if (pairs.length === 0) return null;
  return el("p.by", pairs.map(([key, value]) => [
    el("span.badge", plainText(key), ": ",
      plainText(typeof value === "string" ? value : JSON.stringify(value))), " "]));
}

function more(transaction, changes) {
  return reading(`Show ${plural(transaction.omitted, "more change")}`, async () => {
    const whole = await get("transaction", { position: transaction.position });
    fill(changes, changeList(whole.changes),
      whole.omitted > 0 && el("p.faint", `${plural(whole.omitted, "change")} left out.`));
  });
}
