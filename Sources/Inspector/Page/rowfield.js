import { byId, number, say } from "./dom.js";

/// The field that leads to a row by its number. In a long list, the scroll bar skips rows.
///
/// - total: Returns the number of rows.
/// - go: Shows the row of an index.
export function startRowField(total, go) {
  const input = byId("row");
  input.addEventListener("focus", () => input.select());
  input.addEventListener("keydown", event => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const text = input.value.replace(/[\s,]/g, "");
    if (!/^[1-9]\d*$/.test(text)) return say("Write the number of a row, such as 900.");
    const last = total();
    if (last === 0) return say("No object matches.");
    go(Math.min(Number(text), last) - 1);
    if (Number(text) > last) say(`Row ${number(last)} is the last one.`);
  });
}
