// The sessions of a test, as the process between the host and each agent records and judges them.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseFindings, type Finding } from "./findings.js";

/** The names of the files of a session. `{pid}` is the process between the host and the agent. */
export const JUDGE = "host-{pid}.txt";
export const TRANSCRIPT = "session-{pid}.jsonl";

export class Session {
  readonly pid: number;
  readonly #judge: string;
  /** The path of the transcript. */
  readonly transcript: string;

  private constructor(folder: string, pid: string) {
    this.pid = Number(pid);
    this.#judge = join(folder, JUDGE.replace("{pid}", pid));
    this.transcript = join(folder, TRANSCRIPT.replace("{pid}", pid));
  }

  /** The sessions of a folder, in the order in which they began. */
  static all(folder: string): Session[] {
    const pids = readdirSync(folder).flatMap((name) => /^host-(\d+)\.txt$/.exec(name)?.[1] ?? []);
    const begun = pids.map((pid) => new Session(folder, pid)).map((session) => ({ session, at: statSync(session.transcript).birthtimeMs }));
    return begun.sort((one, other) => one.at - other.at).map(({ session }) => session);
  }

  /** The mistakes of the host. */
  findings(): Finding[] {
    return parseFindings(readFileSync(this.#judge, "utf8"));
  }

  /** The JSON objects that the host has sent. */
  commands(): unknown[] {
    const lines = readFileSync(this.transcript, "utf8").split("\n").slice(0, -1);
    const records = lines.map((line) => JSON.parse(line) as { dir?: string; line?: string });
    return records.flatMap(({ dir, line }) => (dir === "to_agent" ? objectOf(line) : []));
  }
}

function objectOf(line: string | undefined): unknown[] {
  try {
    const value: unknown = JSON.parse(line ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? [value] : [];
  } catch {
    return [];
  }
}
