import { button, byId, bytes, el, errorLine, fill, latest, nested, plural, refill, say } from "./dom.js";
import { get, url } from "./api.js";
import { changeList } from "./changes.js";
import { draftEnd } from "./draftend.js";
import { resume } from "./resumed.js";
import { sceneNode } from "./scenes.js";
import { onChange, state } from "./state.js";
import { onDrafts, onHead, store } from "./store.js";
import { shortTime } from "./time.js";
import { plainText, visible } from "./values.js";

const panel = byId("panel-drafts");

export function startDrafts() {
  onChange(["tab"], () => show());
  onDrafts(() => show());
  onHead(() => show());
}

const show = latest(async () => {
  if (state.tab !== "drafts") return;
  const [drafts, scenes] = await Promise.all(
    [get("drafts"), get("scenes")].map(answer => answer.catch(error => ({ error }))));
  const kept = [...panel.querySelectorAll("details")].filter(each => each.open).map(each => each.dataset.key);
  refill(panel,
    el("p.intro", "Drafts are edits that a program stored without saving them. "
      + "This view always shows their present state."),
    el("h2", "Drafts"),
    drafts.error ? errorLine(drafts.error) : drafts.drafts.length === 0
      ? el("p.faint", "No draft has unsaved edits.") : nested(drafts.drafts, draftNode),
    el("h2", "Screens"),
    scenes.error ? errorLine(scenes.error) : scenes.scenes.length === 0
      ? el("p.faint", "No program stored the state of its screens.") : scenes.scenes.map(sceneNode));
  for (const each of panel.querySelectorAll("details")) if (kept.includes(each.dataset.key)) each.open = true;
});

export function owner({ isInUse, process, isAlive }) {
  if (process === null || process === undefined) return isInUse ? "In use by a program" : "No program has it open";
  return isAlive ? `In use by process ${process}` : `Left by process ${process}, which no longer runs`;
}

function draftNode(draft) {
  const place = el("div");
  const reason = !store.info.isEditable ? "Start the inspector with --edit to resume, save or discard drafts."
    : draft.parent ? `The draft is a part of the draft ${plainText(draft.parent)}. Resume, save or discard that one.`
    : draft.isResumed ? null
    : draft.isInUse && draft.isAlive ? `Process ${draft.process} has the draft open. Close it there first.` : null;
  const end = draftEnd(draft.id, place, { ended: () => show() });
  const open = async () => {
    try { await resume(draft.id); } catch (error) { fill(place, errorLine(error)); }
  };
  const count = draft.objectCount ?? draft.objects?.length ?? 0;
  return el("article.card", { data: { draft: draft.id } },
    el("header", el("h3", visible(draft.id)),
      el("p.by", el("span", { class: draft.isAlive ? "badge good" : "badge" },
        draft.isResumed ? "Resumed in this inspector" : owner(draft)), " ",
        draft.author && [visible(draft.author), " · "], draft.time && `${shortTime(draft.time)} UTC · `,
        `begun at @${draft.base} · ${plural(draft.groups ?? 0, "step")} to undo`,
        draft.lastGroup && [", last: ", visible(draft.lastGroup)], ` · ${bytes(draft.bytes ?? 0)}`)),
    draft.unreadable && el("p.error", plainText(draft.unreadable)),
    (draft.problems ?? []).map(text => el("p.error", plainText(text))),
    el("div.changes", changeList(draft.changes ?? [])),
    count > (draft.changes?.length ?? 0) && el("p.faint", `${plural(count, "object")} changed in all.`),
    el("p.buttons",
      button(draft.isResumed ? "Continue" : "Resume", open,
        { disabled: reason !== null || Boolean(draft.unreadable), title: reason }),
      button("Save…", end.save, { disabled: reason !== null || Boolean(draft.unreadable), title: reason }),
      el("a.button", { href: url("draft", { id: draft.id }), download: "" }, "Export"),
      button("Discard…", end.discard, { class: "danger", disabled: reason !== null, title: reason })),
    reason && el("p.faint", reason), place);
}

/// The link from a screen to its draft.
export const draftLink = id => button(["Draft ", visible(id)], () => {
  const card = [...panel.querySelectorAll(".card")].find(each => each.dataset.draft === id);
  if (!card) return say(`The draft ${plainText(id)} no longer exists.`);
  card.scrollIntoView({ block: "center" });
  card.classList.add("target");
}, { class: "small" });
