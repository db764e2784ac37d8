import { button, byId, el, fill } from "./dom.js";

export function confirmed(text, word) {
  const dialog = byId("confirm");
  return new Promise(done => {
    const finish = answer => { dialog.close(); done(answer); };
    const cancel = button("Cancel", () => finish(false));
    fill(dialog, el("h2", { id: "confirm-title" }, word), el("p", text),
      el("p.buttons.end", cancel,
        button(word, () => finish(true), { id: "confirm-yes", class: word === "Discard" ? "danger" : "primary" })));
    dialog.oncancel = () => done(false);
    dialog.showModal();
    cancel.focus();
  });
}

const keys = [
  ["/", "Write in the filter"], ["g", "Go to a row by its number"], ["[ and ]", "One transaction back or forward"],
  ["1 to 5", "Objects, log, drafts, plans, live"],
  ["Arrows, Page Up, Page Down", "Move in the objects"], ["Home, End", "First or last object"],
  ["Ctrl + ← or →", "First or last property"], ["Enter", "Show the object and its history. On a heading: sort"],
  ["Space", "Follow the link in the cell"], ["Ctrl + C", "Copy the value of the cell"],
  ["Alt + ← or →", "Make the column narrower or wider"], ["Ctrl + Space, ↓", "Complete the filter"],
  ["Ctrl + Enter", "Put the text of a field into the resumed draft"],
  ["Escape", "Close the list, the dialog or the object"], ["?", "This list"],
];

export function showKeys() {
  const dialog = byId("help");
  fill(dialog, el("h2", { id: "help-title" }, "Keyboard"),
    el("dl.keys", keys.map(([key, text]) => el("div", el("dt", key), el("dd", text)))),
    el("p.buttons.end", button("Close", () => dialog.close())));
  dialog.showModal();
}
