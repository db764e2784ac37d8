import { byId, el, fill, plural } from "./dom.js";
import { get } from "./api.js";
import { FetchField } from "./field.js";
import { moment, onChange, state } from "./state.js";
import { shownPosition, store } from "./store.js";
import { linkButton, visible } from "./values.js";

const panel = byId("panel-plans");
const results = el("div", { id: "plans" });

/// A plan with the fetch as a row of cells. The live view shows recent fetches in the same form.
export function planNode({ text, plan, count, milliseconds }, note) {
  return el("article.card.plan",
    el("p.code.wrap", visible(text)),
    el("p.plan-text", visible(plan ?? "")),
    el("p.by", plural(count, "object"), ` · ${Number(milliseconds).toFixed(2)} ms`, note && [" · ", note], " ",
      linkButton("Show the objects", { tab: "grid", fetch: text })));
}

export function startPlans() {
  const run = async text => {
    if (text.trim() === "") return;
    const answer = await get("plan", { fetch: text, ...moment() });
    results.prepend(planNode(answer, `at @${shownPosition()}`));
    while (results.childElementCount > 50) results.lastChild.remove();
  };
  const field = new FetchField({
    id: "plan-fetch", label: "Fetch", entities: () => store.info?.entities ?? [],
    attempt: async () => {}, submit: run,
  });
  fill(panel,
    el("p.intro", "A plan describes how the store finds the objects of a fetch: by an index, or by reading all. "
      + "Write a fetch, and press Enter."),
    el("form.ask", { onsubmit: event => event.preventDefault() }, field.node,
      el("button", { type: "button", class: "primary", id: "plan-run", onclick: () => field.run() }, "Show the plan")),
    field.error, results);
  onChange(["tab"], () => { if (state.tab === "plans" && field.text === "") field.text = state.fetch; });
}
