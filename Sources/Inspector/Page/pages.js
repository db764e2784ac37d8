/// The rows that the grid has read, in pages. Only rows near the visible ones stay in memory.
const size = 100;
const kept = 60;

export class RowPages {
  #pages = new Map();
  #wanted = null;
  #running = null;
  #generation = 0;
  #reading = new AbortController();

  /// `read(offset, limit, signal)` answers with the rows of the current fetch.
  constructor(read, onRows, onError) {
    Object.assign(this, { read, onRows, onError });
  }

  row(index) {
    return this.#pages.get(Math.floor(index / size))?.[index % size] ?? null;
  }

  /// The rows now in memory, as [index, row].
  *rows() {
    for (const [page, rows] of this.#pages) {
      for (const [index, row] of rows.entries()) yield [page * size + index, row];
    }
  }

  /// The whole pages around a range, as a request.
  request(first, last) {
    const from = Math.max(0, Math.floor(first / size));
    const to = Math.min(Math.floor(last / size), from + 4);
    return { offset: from * size, limit: (to - from + 1) * size };
  }

  replace(offset, rows) {
    this.#generation += 1;
    this.#reading.abort();
    this.#reading = new AbortController();
    this.#pages.clear();
    this.#store(offset, rows);
  }

  #store(offset, rows) {
    for (let start = 0; start < rows.length; start += size) {
      this.#pages.set((offset + start) / size, rows.slice(start, start + size));
    }
    const centre = offset / size;
    if (this.#pages.size > kept) {
      const far = [...this.#pages.keys()].sort((a, b) => Math.abs(b - centre) - Math.abs(a - centre));
      for (const page of far.slice(0, this.#pages.size - kept)) this.#pages.delete(page);
    }
  }

  /// Reads missing pages of a range. While a request runs only the newest range waits: fast scrolling skips the rest.
  need(first, last) {
    this.#wanted = { first, last };
    this.#running ??= this.#run().finally(() => { this.#running = null; });
    return this.#running;
  }

  async #run() {
    while (this.#wanted) {
      const { first, last } = this.#wanted;
      this.#wanted = null;
      const missing = [];
      for (let page = Math.floor(first / size); page <= Math.floor(last / size); page += 1) {
        if (!this.#pages.has(page)) missing.push(page);
      }
      if (missing.length === 0) continue;
      const generation = this.#generation;
      const { offset, limit } = this.request(missing[0] * size, missing.at(-1) * size);
      try {
        const answer = await this.read(offset, limit, this.#reading.signal);
        if (generation !== this.#generation) continue;
        this.#store(offset, answer.rows);
        // A page without rows counts as read. Otherwise a total that shrank meanwhile would repeat the request forever.
        for (let page = offset / size; page < (offset + limit) / size; page += 1) {
          if (!this.#pages.has(page)) this.#pages.set(page, []);
        }
        this.onRows(answer);
      } catch (error) {
        // The rows of another fetch replaced the pages, and may lack the newest range.
        if (generation !== this.#generation) continue;
        this.onError(error);
        return;
      }
    }
  }
}
