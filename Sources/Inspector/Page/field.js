import { el, fill } from "./dom.js";
import { rested } from "./api.js";
import { completions } from "./complete.js";
import { indexOfByte } from "./fetchtext.js";
import { plainText } from "./values.js";

/// An input for a fetch: completion in a list, and the place of a mistake underlined.
export class FetchField {
  #items = null;
  #active = -1;

  /// `attempt(text)` runs after typing rests. `submit(text)` runs on Enter. Both may throw an error with a place.
  /// `typed(text)` runs at each change of the text.
  constructor({ id, label, entities, attempt, submit, typed = () => {} }) {
    Object.assign(this, { entities, attempt, submit, typed });
    this.input = el("input", {
      id, class: "fetch", type: "text", role: "combobox", "aria-label": label, "aria-autocomplete": "list",
      "aria-expanded": "false", "aria-controls": id + "-list", "aria-describedby": id + "-error",
      autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "ltr",
      placeholder: "Note where title contains \"tea\" order by changed desc",
    });
    this.mirror = el("div.mirror", { "aria-hidden": "true" });
    this.list = el("ul", { id: id + "-list", role: "listbox", "aria-label": "Completions", hidden: true });
    this.error = el("p", { id: id + "-error", class: "error", role: "alert", hidden: true });
    this.node = el("div.field", this.mirror, this.input, this.list);
    this.waiting = rested(350, () => this.#run(this.attempt));
    this.input.addEventListener("input", () => this.#typed());
    this.input.addEventListener("keydown", event => this.#key(event));
    this.input.addEventListener("scroll", () => { this.mirror.scrollLeft = this.input.scrollLeft; });
    this.input.addEventListener("blur", () => this.#close());
    this.input.addEventListener("click", () => this.#close());
  }

  get text() { return this.input.value; }

  set text(value) {
    if (this.input.value === value) return;
    this.waiting.cancel();
    this.input.value = value;
    this.show(null);
  }

  show(error) {
    this.error.hidden = !error;
    this.input.setAttribute("aria-invalid", error ? "true" : "false");
    fill(this.mirror);
    fill(this.error);
    if (!error) return;
    if (error.place) {
      const text = this.text;
      const start = indexOfByte(text, error.place.offset);
      // Without a length, the mistake is the word at the place.
      const word = text.slice(start).match(/^[\p{L}\p{N}_]+|^[^]/u)?.[0].length ?? 0;
      const { offset, length } = error.place;
      const end = length === undefined ? start + word : Math.max(start, indexOfByte(text, offset + length));
      const mistake = text.slice(start, end);
      fill(this.mirror, text.slice(0, start), el("mark", mistake === "" ? "\u00a0\u00a0" : mistake), text.slice(end));
      this.mirror.scrollLeft = this.input.scrollLeft;
      fill(this.error, el("span.place", `Column ${error.place.column}`,
        mistake === "" ? "" : [": ", el("mark", plainText(mistake))]), " ",
      plainText(error.message.replace(/^Line \d+, column \d+: /, "")));
    } else fill(this.error, plainText(error.message));
  }

  run() { return this.#run(this.submit); }

  async #run(action) {
    try {
      await action(this.text);
      this.show(null);
    } catch (error) {
      if (error.name !== "AbortError") this.show(error);
    }
  }

  #typed() {
    this.show(null);
    this.typed(this.text);
    this.#open();
    this.waiting();
  }

  #open() {
    const caret = this.input.selectionStart;
    this.#items = completions(this.text, caret, this.entities());
    this.#active = -1;
    if (!this.#items) return this.#close();
    fill(this.list, this.#items.items.slice(0, 60).map((item, index) => el("li", {
      role: "option", id: `${this.list.id}-${index}`, "aria-selected": "false",
      onpointerdown: event => { event.preventDefault(); this.#accept(index); },
    }, el("span", plainText(item.text)), el("span.faint", plainText(item.detail)))));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.#place();
  }

  /// The mirror has the font of the input, so its width up to the word is the place of the list.
  #place() {
    const probe = el("span", this.text.slice(0, this.#items.start));
    const kept = [...this.mirror.childNodes];
    fill(this.mirror, probe);
    const left = probe.offsetWidth - this.input.scrollLeft;
    fill(this.mirror, kept);
    this.list.style.left = `${Math.max(0, Math.min(left, this.node.clientWidth - this.list.offsetWidth))}px`;
    this.list.scrollTop = 0;
  }

  #close() {
    this.#items = null;
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  #move(step) {
    const options = [...this.list.children];
    options[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = (this.#active + step + options.length + (this.#active < 0 && step < 0 ? 1 : 0)) % options.length;
    const option = options[this.#active];
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", option.id);
  }

  #accept(index) {
    const { start, end, items } = this.#items;
    const word = items[index].text;
    const rest = this.text.slice(end);
    const space = word.endsWith("(") || rest.startsWith(" ") ? "" : " ";
    const caret = word === '""' ? start + 1 : start + word.length + (space || (rest.startsWith(" ") ? " " : "")).length;
    this.input.value = this.text.slice(0, start) + word + (word === '""' ? "" : space) + rest;
    this.input.setSelectionRange(caret, caret);
    this.#typed();
  }

  #key(event) {
    const isOpen = this.#items !== null;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!isOpen) this.#open();
      if (this.#items) this.#move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === " " && event.ctrlKey) this.#open();
    else if (event.key === "Tab" && isOpen && !event.shiftKey && (this.#active >= 0 || this.#items.hasTyped)) {
      this.#accept(Math.max(0, this.#active));
    } else if (event.key === "Enter" && isOpen && this.#active >= 0) this.#accept(this.#active);
    else if (event.key === "Enter") {
      this.#close();
      this.waiting.cancel();
      this.#run(this.submit);
    } else if (event.key === "Escape" && isOpen) this.#close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
