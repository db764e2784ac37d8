/// Maps the scroll position of an element to rows. Browsers limit the height of an element to some million pixels,
/// so the middle of a long list is compressed. The ends are not, and small steps stay exact everywhere.
const limit = 6_000_000;
const margin = 1_000_000;

export class RowScroller {
  top = 0;
  #total = 0;
  #last = 0;
  #timer = null;

  constructor(element, spacer, onMove) {
    Object.assign(this, { element, spacer, onMove, rowHeight: 30, heading: 32 });
    element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
  }

  get height() { return Math.max(this.rowHeight, this.element.clientHeight - this.heading); }
  get length() { return this.#total * this.rowHeight; }
  get maximum() { return Math.max(0, this.length - this.height); }
  get isMapped() { return this.length > limit; }
  get #range() { return Math.max(0, this.element.scrollHeight - this.element.clientHeight); }

  setTotal(total) {
    this.#total = total;
    this.spacer.style.height = `${Math.min(this.length, limit) + this.heading}px`;
    this.setTop(this.top);
  }

  setTop(top) {
    this.top = Math.max(0, Math.min(top, this.maximum));
    this.#write();
  }

  #write() {
    this.element.scrollTop = this.isMapped ? this.#toScroll(this.top) : this.top;
    this.#last = this.element.scrollTop;
  }

  #toScroll(top) {
    const [range, maximum] = [this.#range, this.maximum];
    if (top <= margin) return top;
    if (top >= maximum - margin) return range - (maximum - top);
    return margin + (top - margin) / (maximum - 2 * margin) * (range - 2 * margin);
  }

  #fromScroll(scroll) {
    const [range, maximum] = [this.#range, this.maximum];
    if (scroll <= margin) return scroll;
    if (scroll >= range - margin) return maximum - (range - scroll);
    return margin + (scroll - margin) / (range - 2 * margin) * (maximum - 2 * margin);
  }

  #scrolled() {
    // Some browsers scroll beyond the ends, and back.
    const scroll = Math.max(0, Math.min(this.element.scrollTop, this.#range));
    const delta = scroll - this.#last;
    this.#last = scroll;
    if (Math.abs(delta) < 0.5) return this.onMove();
    if (!this.isMapped) this.top = scroll;
    // The thumb of the scroll bar moves thousands of pixels at once. A wheel, a finger or a key moves less.
    else if (Math.abs(delta) <= this.height) this.top += delta;
    else this.top = this.#fromScroll(scroll);
    this.top = Math.max(0, Math.min(this.top, this.maximum));
    if (this.isMapped) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#write(), 160);
    }
    this.onMove();
  }
}
