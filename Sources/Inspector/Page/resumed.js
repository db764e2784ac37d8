import { button, byId, el, errorLine, fill, latest, plural, refill, say, unsaved } from "./dom.js";
import { get, post } from "./api.js";
import { draftEnd } from "./draftend.js";
import { applied, forgetTyped, inTurn } from "./editor.js";
import { change, onChange, state } from "./state.js";
import { onDrafts, onEdited, onHead, quietly, tellEdited } from "./store.js";
import { objectLink, plainText, visible } from "./values.js";

const bar = byId("draft-bar");
const head = el("div.head");
const place = el("div");
/// Whether to resume a draft that this inspector does not have open. Somebody may have closed it on another page, so
/// only the user does this, or a step in the history of the browser.
let resumes = false;
/// The reason why the draft could not be resumed.
let refusal = null;

export function startResumed() {
  fill(bar, head, place);
  onChange(["draft", "at"], changed => {
    if (changed.includes("draft")) {
      fill(place);
      resumes = true;
      refusal = null;
    }
    show();
  });
  onDrafts(() => { if (state.draft !== null) tellEdited(); });
  onEdited(() => show());
  onHead(() => { if (state.draft !== null) show(); });
}

/// Resumes the draft in the address of a new page, before the page reads its objects.
export async function resumeFirst() {
  const id = new URLSearchParams(location.hash.replace(/^#/, "")).get("draft");
  // The bar then shows the reason of a failure.
  if (id) await post("resumed", { id, action: "resume" }).catch(() => {});
}

/// Shows the whole store with the edits of a draft. Throws if the draft cannot be resumed.
export async function resume(id) {
  await post("resumed", { id, action: "resume" });
  change({ draft: id, at: null, tab: "grid" });
  say(`The page shows the unsaved edits of the draft ${plainText(id)}.`);
}

const show = latest(async () => {
  const id = state.draft;
  bar.hidden = id === null;
  document.body.classList.toggle("resumed", id !== null);
  if (id === null) return fill(head);
  let answer;
  try {
    answer = await get("resumed", { draft: id });
  } catch (error) {
    if (!error.isClosed || !resumes) return showProblem(id, refusal ?? error);
    try {
      answer = await post("resumed", { id, action: "resume" });
      tellEdited();
    } catch (failure) {
      refusal = failure;
      resumes = false;
      return showProblem(id, failure);
    }
  }
  resumes = false;
  refusal = null;
  showState(id, answer);
});

function showProblem(id, error) {
  if (state.draft !== id) return;
  refill(head, el("p", el("span.badge", "Closed"), " Draft ", el("strong", visible(id))), errorLine(error),
    el("p.buttons", button("Resume", again), button("Leave the draft", leave)));
}

function again() {
  resumes = true;
  show();
}

function leave() {
  change({ draft: null });
  byId(`tab-${state.tab}`).focus();
}

function showState(id, answer) {
  if (state.draft !== id) return;
  const counts = unsaved(answer);
  const end = draftEnd(id, place, { isReady, ended: () => { forgetTyped(); leave(); } });
  const step = (label, can, name, action) => button(label, () => can && run(id, action), {
    "aria-disabled": can ? null : "true", title: can && name ? `${label}: ${plainText(name)}` : label,
  });
  refill(head,
    el("p", el("span.badge", "Unsaved edits"), " Draft ", el("strong", visible(id)),
      answer.author && [" · ", visible(answer.author)], ` · ${counts || "no object changed"}`,
      answer.conflicts > 0 && ` · ${plural(answer.conflicts, "conflict")} with later saves`),
    answer.problems.map(text => el("p.error", plainText(text))),
    state.at !== null && el("p", `The page shows the time of @${state.at}, without the edits of the draft. `,
      button("Show the draft", () => change({ at: null }), { class: "small" })),
    el("p.buttons",
      step("Undo", answer.canUndo, answer.undo, "undo"), step("Redo", answer.canRedo, answer.redo, "redo"),
      button("Save…", end.save, { id: "draft-save" }),
      button("Close", () => close(id), { id: "draft-close", title: "The draft stays, and other programs can open it" }),
      button("Discard…", end.discard, { id: "draft-discard", class: "danger" })));
}

/// Whether all typed values are in the draft. A value that it refuses holds the end of the draft back.
async function isReady(action) {
  if (action === "discard") return true;
  const refused = await applied();
  if (!refused) {
    fill(place);
    return true;
  }
  fill(place, el("p.error", { role: "alert" }, "The draft lacks a value that you typed for ",
    visible(refused.name), " of ", objectLink(refused.id), ". Correct the value, or press Escape in its field."));
  return false;
}

const run = (id, action) => inTurn(async () => {
  try {
    showState(id, await post("resumed", { id, action }));
    fill(place);
    tellEdited();
  } catch (error) { fill(place, errorLine(error)); }
});

async function close(id) {
  if (!await isReady("close")) return;
  try {
    await quietly(() => post("resumed", { id, action: "close" }));
    change({ draft: null, tab: "drafts" });
    byId("tab-drafts").focus();
    say(`The draft ${plainText(id)} is closed, and keeps its edits.`);
  } catch (error) { fill(place, errorLine(error)); }
}
