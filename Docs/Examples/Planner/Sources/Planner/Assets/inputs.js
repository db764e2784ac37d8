/// The inputs of a page, by number, until they survive a kill of the server.
///
/// The tab keeps them too, so a reload loses none.
export class Inputs {
  #key;
  #send;
  #kept = [];
  #last = 0;
  #unsentFrom = 1;
  /// The last input that was ever sent. The server may have it, so it and those before it can no longer change.
  #sentUpTo = 0;
  /// The number of the last input to each field.
  #fields = new Map();
  #later = new Map();
  #timer = null;
  /// How many inputs a request may have.
  limit = 100;
  /// Whether inputs before the first kept one are lost, so that nobody can send them. A restored backup has this effect.
  hasGap = false;

  constructor(window, send) {
    this.#key = `inputs ${window}`;
    this.#send = send;
    this.page = [...crypto.getRandomValues(new Uint32Array(4))].map(number => number.toString(36)).join("");
    this.#takeUp();
  }

  /// Continues the page before a reload, if some of its inputs may be lost otherwise.
  #takeUp() {
    try {
      const former = JSON.parse(sessionStorage.getItem(this.#key));
      if (!former?.kept?.length) return;
      this.page = former.page;
      this.#kept = former.kept;
      this.#last = former.kept.at(-1).number;
      this.#unsentFrom = former.kept[0].number;
      this.#sentUpTo = this.#last;
    } catch { /* The tab keeps nothing. */ }
  }

  #keep() {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify({ page: this.page, kept: this.#kept }));
    } catch { /* The inputs are still in this page. */ }
  }

  get unsent() { return this.#kept.filter(input => input.number >= this.#unsentFrom); }

  /// Whether all inputs survive a kill.
  get areSafe() { return this.#kept.length === 0 && this.#later.size === 0; }

  /// Whether no input waits to be sent.
  get areSent() { return this.unsent.length === 0 && this.#later.size === 0; }

  /// Adds an input. A further edit of the same field replaces one that is not sent yet.
  add(input, field) {
    // The edit has the caret.
    if (field) this.#later.delete("focus");
    this.#flushLater();
    const last = this.#kept.at(-1);
    if (field && last?.action === "edit" && last.number > this.#sentUpTo && this.#fields.get(field) === last.number) {
      Object.assign(last, input, { from: last.from });
    } else {
      this.#push(input);
      if (field) this.#fields.set(field, this.#last);
    }
    this.#keep();
    this.#send();
  }

  /// Adds an input after a while, unless another one of its kind replaces it before.
  addLater(input, kind) {
    this.#later.set(kind, input);
    this.#timer ??= setTimeout(() => {
      this.#flushLater();
      this.#keep();
      this.#send();
    }, 150);
  }

  /// Notes the number of the last input to a field.
  note(number, field) { this.#fields.set(field, number); }

  #flushLater() {
    clearTimeout(this.#timer);
    this.#timer = null;
    for (const input of this.#later.values()) this.#push(input);
    this.#later.clear();
  }

  #push(input) { this.#kept.push({ ...input, number: ++this.#last }); }

  /// The inputs of the next request.
  batch() {
    const batch = [];
    let length = 0;
    for (const input of this.unsent) {
      length += input.text?.length ?? 0;
      if (batch.length > 0 && (length > 200_000 || batch.length === this.limit)) break;
      batch.push(withSplice(input));
    }
    return batch;
  }

  /// Notes that inputs are on their way.
  sent(batch) {
    this.#unsentFrom = batch.at(-1).number + 1;
    this.#sentUpTo = Math.max(this.#sentUpTo, this.#unsentFrom - 1);
  }

  /// Notes the last input that the server has applied. It may lack one that was sent.
  applied(number) { if (number + 1 < this.#unsentFrom) this.#unsentFrom = number + 1; }

  /// Forgets the inputs that survive a kill.
  safe(number) {
    const count = this.#kept.length;
    this.#kept = this.#kept.filter(input => input.number > number);
    if (this.#kept.length !== count) this.#keep();
  }

  /// Replaces an input that the server refuses by one that does nothing. Its text stays in the field.
  drop(number) {
    const place = this.#kept.findIndex(input => input.number === number);
    const input = this.#kept[place];
    if (input.action === "edit") this.#fields.set(nameOf(input), Infinity);
    this.#kept[place] = { action: "none", number };
    this.#keep();
  }

  /// Sends again what the server does not have.
  restart(applied) {
    this.#unsentFrom = applied + 1;
    if (this.#last < applied) this.#last = applied;
    this.hasGap = (this.#kept[0]?.number ?? this.#last + 1) > applied + 1;
  }

  /// Whether the page has a newer text for a field than the server's markup.
  isAhead(field, input) { return (this.#fields.get(field) ?? 0) > input; }
}

/// The name of the field of an input among all fields of the page.
export const nameOf = ({ editor, field }) => editor ? `${editor}/${field}` : field;

const isSecondHalf = (text, place) => (text.charCodeAt(place) & 0xFC00) === 0xDC00;

/// An edit with the part of the text that it replaced. The server then knows the text that the person saw.
function withSplice({ from, ...input }) {
  if (typeof from !== "string") return input;
  const { text } = input;
  const shorter = Math.min(from.length, text.length);
  let at = 0;
  while (at < shorter && from[at] === text[at]) at += 1;
  while (at > 0 && (isSecondHalf(from, at) || isSecondHalf(text, at))) at -= 1;
  let rest = 0;
  while (rest < shorter - at && from.at(-1 - rest) === text.at(-1 - rest)) rest += 1;
  while (rest > 0 && isSecondHalf(from, from.length - rest)) rest -= 1;
  return { ...input, at, added: text.length - rest - at, removed: from.slice(at, from.length - rest) };
}
