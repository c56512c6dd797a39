// Replaces what differs between any two sessions of the same agent: paths, times and generated ids.

/** Members that are a time. */
const TIMES = new Set(["timestamp"]);

/** Members that are an id which the agent generates. */
const IDS = new Set(["sessionId", "parentId", "entryId", "leafId", "firstKeptEntryId", "targetId", "fromId"]);

/** The digits of a number that count: the last ones of a cost depend on the order in which it was computed. */
const DIGITS = 10;

/** Objects of these types have a generated `id`. */
const ENTRIES = new Set(["message", "model_change", "thinking_level_change", "session_info", "compaction", "custom", "context_edit"]);

export class Normalizer {
  #names = new Map();
  #folders;

  /** `folders` are pairs of a path and its name. */
  constructor(folders) {
    this.#folders = folders;
  }

  /** The value with names in place of paths, times and ids. An id or a file of a session has the same name wherever it is. */
  value(value, key = "", parent = {}) {
    if (Array.isArray(value)) return value.map((item) => this.value(item, key, parent));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.value(member, name, value)]));
    }
    if (TIMES.has(key)) return `{${typeof value} time}`;
    if (typeof value === "number") return Number(value.toPrecision(DIGITS));
    if (typeof value !== "string") return value;
    if (IDS.has(key) || (key === "id" && ENTRIES.has(parent.type) && "parentId" in parent)) return this.#name("id", value);
    return this.#names.get(`id ${value}`) ?? this.#text(value);
  }

  #text(text) {
    const files = text.replace(/\/[^\s"']*\/sessions\/[^\s"']*\.jsonl/g, (path) => this.#name("session file", path));
    const exports = files.replace(/pi-session-[^\s/]*\.html/g, "{export}");
    return this.#folders.reduce((text, [path, name]) => text.replaceAll(path, `{${name}}`), exports);
  }

  #name(kind, value) {
    const key = `${kind} ${value}`;
    if (!this.#names.has(key)) {
      const count = [...this.#names.keys()].filter((other) => other.startsWith(kind)).length;
      this.#names.set(key, `{${kind} ${count + 1}}`);
    }
    return this.#names.get(key);
  }
}
