// Splits the output of a process into lines.

const LINE_FEED = 10;

/** The longest line that is kept, in bytes. Without a limit, an agent that never ends a line fills the memory. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * Works on bytes and splits at line feeds only. `node:readline` also splits at U+2028, which is legal inside JSON, and
 * `chunk.toString()` breaks characters that arrive in two chunks.
 */
export class LineSplitter {
  #parts = [];
  #size = 0;
  #longest;
  #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  constructor(longest = LONGEST_LINE) {
    this.#longest = longest;
  }

  /** The lines that this chunk completes: `{ text }`, or `{ problem }` for one that cannot be read. */
  push(chunk) {
    const lines = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** The rest after the last line feed when the output ends: the start of a line, or null. */
  end() {
    return this.#size === 0 ? null : this.#take();
  }

  #keep(part) {
    this.#size += part.length;
    if (this.#size > this.#longest) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #take() {
    const size = this.#size;
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    if (size > this.#longest) return { problem: `a line of ${size} bytes is too long` };
    try {
      return { text: this.#decoder.decode(bytes) };
    } catch {
      return { problem: `a line is not UTF-8: ${bytes.toString("utf8").slice(0, 200)}` };
    }
  }
}
