/// The inputs of a page, by number, until they survive a kill of the server.
///
/// The tab keeps them too, so a reload loses none.
export class Inputs {
  #key;
  #send;
  #kept = [];
  #last = 0;
  #unsentFrom = 1;
  /// The number of the last input to each field.
  #fields = new Map();
  #later = new Map();
  #timer = null;

  constructor(window, send) {
    this.#key = `inputs ${window}`;
    this.#send = send;
    this.page = crypto.randomUUID();
    this.hasGap = false;
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
    } catch { /* The tab keeps nothing. */ }
  }

  #keep() {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify({ page: this.page, kept: this.#kept }));
    } catch { /* The inputs are still in this page. */ }
  }

  get unsent() { return this.#kept.filter(input => input.number >= this.#unsentFrom); }

  /// Adds an input. A further edit of the same field replaces one that is not sent yet.
  add(input, field) {
    this.#flushLater();
    const last = this.#kept.at(-1);
    if (field && last?.action === "edit" && last.number >= this.#unsentFrom && this.#fields.get(field) === last.number) {
      Object.assign(last, input);
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

  /// Notes that inputs are on their way. They can no longer change.
  sent(batch) { this.#unsentFrom = batch.at(-1).number + 1; }

  /// Notes the last input that the server has applied. It may lack one that was sent.
  applied(number) { if (number + 1 < this.#unsentFrom) this.#unsentFrom = number + 1; }

  /// Forgets the inputs that survive a kill.
  safe(number) {
    const count = this.#kept.length;
    this.#kept = this.#kept.filter(input => input.number > number);
    if (this.#kept.length !== count) this.#keep();
  }

  /// Sends again what the server does not have.
  restart(applied) {
    this.#unsentFrom = applied + 1;
    if (this.#last < applied) this.#last = applied;
    // A restored backup may lack inputs that this page has forgotten.
    this.hasGap = (this.#kept[0]?.number ?? this.#last + 1) > applied + 1;
  }

  /// Whether the page has a newer text for a field than the server's markup.
  isAhead(field, input) { return (this.#fields.get(field) ?? 0) > input; }
}
