import { button, byId, el, errorLine, fill, plural, say } from "./dom.js";
import { post } from "./api.js";
import { changeList } from "./changes.js";
import { store } from "./store.js";
import { full, objectLink, plainText, visible } from "./values.js";

const dialog = byId("revert");

/// The text of a conflict names its place, which the legend already has.
function sentence({ object, property, text }) {
  const place = `${object}.${property}: `;
  const rest = text.startsWith(place) ? text.slice(place.length) : text;
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}${/[.)]$/.test(rest) ? "" : "."}`;
}

export function openRevert(position) {
  const answers = {};
  const body = el("div.body", { tabindex: "0" });
  const save = button("Save the revert", () => run(true), { id: "revert-save", class: "primary", disabled: true });
  const cancel = button("Cancel", () => dialog.close());
  fill(dialog, el("h2", { id: "revert-title" }, `Revert transaction @${position}`), body,
    el("p.buttons.end", cancel, save));
  dialog.showModal();
  cancel.focus();
  if (!store.info.isEditable) {
    fill(body, el("p", "The inspector shows this store for reading only. To revert transactions, stop the inspector "
      + "and start it again with --edit."));
    return;
  }

  async function run(saves) {
    save.disabled = true;
    dialog.setAttribute("aria-busy", "true");
    try {
      const answer = await post("revert", { position, answers, save: saves });
      if (answer.saved !== null && answer.saved !== undefined) {
        dialog.close();
        say(`Transaction @${position} is reverted, as transaction @${answer.saved}.`);
        return;
      }
      if (answer.isOutdated) {
        for (const key of Object.keys(answers)) delete answers[key];
        say("Another save changed the same objects. Look at the changes again.");
      }
      show(answer);
    } catch (error) {
      body.append(errorLine(error));
      body.lastChild.scrollIntoView({ block: "nearest" });
      save.disabled = !saves;
    } finally { dialog.removeAttribute("aria-busy"); }
  }

  function show({ isNothing, conflicts = [], changes = [], violations = [] }) {
    const open = conflicts.filter(each => !each.answer);
    save.disabled = isNothing || open.length > 0 || violations.length > 0;
    const focused = document.activeElement?.id;
    fill(body,
      isNothing && el("p", "Nothing is left to revert: later transactions replaced all its changes."),
      !isNothing && conflicts.length === 0 && el("p",
        "This transaction becomes undone by a new one. The log keeps both."),
      conflicts.length > 0 && el("p", open.length > 0
        ? `Later transactions changed the same values. Choose a value for ${plural(open.length, "more conflict")}.`
        : "All conflicts have a choice."),
      conflicts.map(conflictNode),
      violations.map(text => el("p.error", { role: "alert" }, plainText(text))),
      changes.length > 0 && el("h3", "Changes that will be saved"), changeList(changes));
    byId(focused ?? "")?.focus();
  }

  function conflictNode(conflict) {
    const option = (value, label, shown) => {
      const id = `conflict-${conflict.key}-${value}`;
      return el("label.choice",
        el("input", {
          type: "radio", id, name: `conflict-${conflict.key}`, value, checked: answers[conflict.key] === value,
          onchange: () => { answers[conflict.key] = value; run(false); },
        }), el("span", el("strong", label), full(shown, null)));
    };
    return el("fieldset.conflict", { data: { key: conflict.key } },
      el("legend", objectLink(conflict.object), " · ", visible(conflict.property ?? "the whole object")),
      el("p", plainText(sentence(conflict))),
      el("div.choices",
        conflict.choices.includes("mine") && option("mine", "Mine: the value before the transaction", conflict.mine),
        option("theirs", "Theirs: keep the later change", conflict.theirs)));
  }
  run(false);
}
