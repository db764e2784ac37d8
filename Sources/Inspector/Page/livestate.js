import { byId, el, errorLine, fill, latest, nested, number, refill, unsaved } from "./dom.js";
import { get } from "./api.js";
import { changeList } from "./changes.js";
import { onChange, state } from "./state.js";
import { planNode } from "./plans.js";
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
        : el("p.faint", "The program has not used a context of the main actor yet."),
      el("h2", "Recent fetches"), answer.fetches.length > 0
        ? el("div", { id: "fetches" }, answer.fetches.map(fetchNode))
        : el("p.faint", "The program has run no fetch since the inspector began to serve."));
  } catch (error) {
    last = "";
    fill(panel, errorLine(error));
  }
});

function fetchNode(fetched) {
  const runs = fetched.runs > 1 && ` · ${number(fetched.runs)} runs, the slowest in ${fetched.slowest.toFixed(2)} ms`;
  return planNode(fetched, [fetched.method, runs]);
}

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
      context.observers.length > 0 && [" · observers: ", visible(context.observers.map(observerText).join(", "))]),
    el("div.changes", changeList(context.changes ?? [])));
}

const observerText = ({ type, count }) => count > 1 ? `${type} (${count})` : type;
