import { el } from "./dom.js";
import { visible } from "./values.js";

const limit = 1200;

/// The differences of two texts as [kind, text] runs: "same", "old" or "new".
function difference(before, after) {
  const a = split(before);
  const b = split(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const runs = [];
  const add = (kind, text) => {
    if (text === "") return;
    if (runs.length > 0 && runs.at(-1)[0] === kind) runs.at(-1)[1] += text; else runs.push([kind, text]);
  };
  add("same", a.slice(0, start).join(""));
  middle(a.slice(start, a.length - end), b.slice(start, b.length - end), add);
  add("same", a.slice(a.length - end).join(""));
  return runs;
}

// A word keeps the spaces after it. Equal spaces between different words would otherwise split a change.
const split = text => text.match(/[\p{L}\p{N}_]+\s*|\s+|[^]/gu) ?? [];

/// The longest common sequence. Above the limit the table would cost too much, so all words count as changed.
function middle(a, b, add) {
  if (a.length === 0 || b.length === 0 || a.length * b.length > limit * limit) {
    add("old", a.join(""));
    add("new", b.join(""));
    return;
  }
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = a[i] === b[j] ? table[(i + 1) * width + j + 1] + 1
        : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add("same", a[i]);
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || table[(i + 1) * width + j] >= table[i * width + j + 1])) {
      add("old", a[i]);
      i += 1;
    } else {
      add("new", b[j]);
      j += 1;
    }
  }
}

/// Equal words far from a change become "…", so a long text shows the words around each change.
export function differenceNode(before, after) {
  const runs = difference(before, after);
  return el("div.text.diff", runs.map(([kind, text], index) => {
    if (kind === "old") return el("del", visible(text, true));
    if (kind === "new") return el("ins", visible(text, true));
    return visible(around(text, index > 0, index < runs.length - 1), true);
  }));
}

function around(text, hasBefore, hasAfter) {
  const room = 60;
  if (text.length <= room * 2 + 20) return text;
  const head = hasBefore ? text.slice(0, room).replace(/\S*$/, "") : "";
  const tail = hasAfter ? text.slice(-room).replace(/^\S*/, "") : "";
  return `${head}…${tail}`;
}
