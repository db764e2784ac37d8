import { byId, el, errorLine, fill, latest, nested, plural, refill, unsaved } from "./dom.js";
import { get } from "./api.js";
import { changeList } from "./changes.js";
import { onChange, state } from "./state.js";
import { onDrafts, onHead } from "./store.js";
import { plainText, visible } from "./values.js";

const panel = byId("panel-live");
let last = "";

export function startLive() {
  onChange(["tab"], show);
  onHead(show);
  onDrafts(show);
  // Unsaved changes send no event, so the view asks again while a reader can see it.
  setInterval(() => { if (state.tab === "live" && !document.hidden) show(); }, 2000);
}

const show = latest(async () => {
  if (state.tab !== "live") return;
  try {
    const answer = await get("live");
    const text = JSON.stringify(answer);
    if (text === last && panel.childElementCount > 0) return;
    last = text;
    refill(panel,
      el("p.intro", "The state inside the program that has the store open. This view always shows the present."),
      el("h2", "Contexts"), answer.contexts.length > 0 ? nested(answer.contexts, contextNode)
        : el("p.faint", "The program has not used a context of the main actor yet."));
  } catch (error) {
    last = "";
    fill(panel, errorLine(error));
  }
});

function contextNode(context) {
  const counts = unsaved(context);
  const names = (label, list) => list?.length > 0 && [" · ", label, " ", visible(list.join(", "))];
  return el("article.card", { data: { context: context.id } },
    el("h3", context.name ? visible(context.name) : `Context ${context.id}`,
      context.isMain && [" ", el("span.badge.good", "main")]),
    el("p.by", context.author && [visible(context.author), " · "], `at @${context.position} · `,
      counts ? `unsaved: ${counts}` : "no unsaved changes",
      context.draft && [" · draft ", visible(plainText(context.draft))],
      names("can undo:", context.undo), names("can redo:", context.redo),
      context.observers > 0 && ` · ${plural(context.observers, "observer")}`),
    el("div.changes", changeList(context.changes ?? [])));
}
