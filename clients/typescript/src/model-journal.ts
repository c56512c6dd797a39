// The journal of a scripted model: the requests that came, and what was wrong with them or with what did not come.
import { existsSync, readFileSync } from "node:fs";
import { decodeRequest, type ModelRequest } from "./model-request.js";
import { replyOf, type ModelReplies } from "./model-script.js";

/**
 * What a failure is about: a request came when the script had no reply left (`ran dry`), or none that fits it (`unmatched`), or repeats an earlier one
 * (`repeated`); it is not as its reply expects (`expectation`); the real API would refuse it (`refused`); `conform` does not serve what it asks
 * for (`not served`); or a reply was not asked for (`unused`).
 */
export type ModelFailureKind = "ran dry" | "unmatched" | "repeated" | "expectation" | "refused" | "not served" | "unused";

/** A difference between the script and what the app has sent. */
export interface ModelFailure {
  kind: ModelFailureKind;
  /** The number of the request, from 0; null for a reply that was not asked for. */
  request: number | null;
  /** The number of the reply in the script, from 0, if the failure is about one. */
  reply: number | null;
  message: string;
  /** What the script expects, and what came instead, if there is something to compare. */
  expected: string | null;
  actual: string | null;
}

interface RequestRecord {
  dir: "llm_request";
  n: number;
  method: string;
  path: string;
  body: unknown;
}

interface ReplyRecord {
  dir: "llm_reply";
  n: number;
  status: number;
}

interface FailureRecord {
  dir?: undefined;
  failure: ModelFailureKind;
  n: number | null;
  pointer: string;
  message: string;
  expected: string | null;
  actual: string | null;
}

/** A websocket is refused with this status, and the app goes on without it. */
const UPGRADE_REQUIRED = 426;

/** The journal so far: each record is written before the app can see its effect. */
export class ModelJournal {
  readonly #records: readonly (RequestRecord | ReplyRecord | FailureRecord)[];

  private constructor(records: readonly (RequestRecord | ReplyRecord | FailureRecord)[]) {
    this.#records = records;
  }

  static read(file: string): ModelJournal {
    // The last line may be incomplete.
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
    return new ModelJournal(lines.map((line) => JSON.parse(line) as RequestRecord));
  }

  /** The requests for an answer of the model, in order. */
  requests(): ModelRequest[] {
    return this.#records.flatMap((record) => (record.dir === "llm_request" ? (decodeRequest(record) ?? []) : []));
  }

  failures(): ModelFailure[] {
    return this.#records.flatMap((record) => {
      if (record.dir !== undefined) return [];
      const { failure: kind, n: request, message, expected, actual, pointer } = record;
      const reply = /^\/(\d+)/.exec(pointer)?.[1];
      return [{ kind, request, reply: reply === undefined ? null : Number(reply), message, expected, actual }];
    });
  }

  /** Whether the app got something else than from the real API: a member of a body without effect is not such a failure. */
  isWrong({ kind, request }: ModelFailure): boolean {
    if (kind !== "not served") return true;
    return this.#records.some((record) => record.dir === "llm_reply" && record.n === request && record.status >= 400 && record.status !== UPGRADE_REQUIRED);
  }

  /** A failure with the request and the reply that it is about. */
  describe({ request, reply, message, expected, actual }: ModelFailure, script: ModelReplies): string {
    const difference = [message, ...(expected === null ? [] : [`expected ${expected}`]), ...(actual === null ? [] : [`got ${actual}`])].join("; ");
    const sent = this.#records.find((record) => record.dir === "llm_request" && record.n === request) as RequestRecord | undefined;
    const scripted = reply === null ? null : replyOf(script, reply);
    return [
      difference,
      ...(sent === undefined ? [] : [`  request ${sent.n}: ${sent.method} ${sent.path} ${shortened(JSON.stringify(sent.body))}`]),
      ...(scripted === null ? [] : [`  reply ${reply}: ${shortened(scripted)}`]),
    ].join("\n");
  }
}

const LONGEST = 400;

const shortened = (text: string) => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`);
