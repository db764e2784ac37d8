import { button, el, errorLine, fill, plural, say } from "./dom.js";
import { post } from "./api.js";
import { confirmed } from "./dialogs.js";
import { quietly } from "./store.js";
import { plainText } from "./values.js";

/// Saves or discards a draft, after a question. `place` shows errors, and conflicts with later saves.
///
/// `isReady` may hold the end back, and `ended` runs after the end.
export function draftEnd(id, place, { isReady = async () => true, ended }) {
  const name = plainText(id);
  const act = async (action, text, word, choice) => {
    if (!await isReady(action) || !await confirmed(text, word)) return;
    try {
      const answer = await quietly(() => post("draft", { id, action, answer: choice }));
      fill(place);
      ended();
      say(action === "discard" ? `The draft ${name} is discarded.`
        : answer.saved === null ? "The draft had no changes to save."
          : `The draft is saved as transaction @${answer.saved}.`);
    } catch (error) {
      if (error.conflictCount > 0) conflicted(error.conflictCount); else fill(place, errorLine(error));
    }
  };
  const conflicted = count => fill(place,
    el("p.error", { role: "alert" }, `Later saves changed ${plural(count, "value or object", "values or objects")} of `
      + "this draft, so it is not saved yet. Which values shall stay?"),
    el("p.buttons",
      button("Save mine…", () => act("save", "Save the values of the draft over the later ones?", "Save", "mine")),
      button("Keep theirs…",
        () => act("save", "Save the rest of the draft, and keep the later values?", "Save", "theirs"))));
  return {
    save: () => act("save", `Save the edits of the draft “${name}” as a new transaction?`, "Save"),
    discard: () => act("discard", `Discard the draft “${name}”? Its unsaved edits are then lost. `
      + "An export keeps them as a text.", "Discard"),
  };
}
