// A scripted model for the tests of an app or an agent: it serves the APIs of the vendors, and says what the script decides.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAll, runDeferred, throwAll } from "./closing.js";
import { Refused, registered, request } from "./control.js";
import type { JsonObject } from "./frames.js";
import { ModelJournal, type ModelFailure, type ModelFailureKind } from "./model-journal.js";
import { ModelProcess, NotStarted } from "./model-process.js";
import type { ModelRequest } from "./model-request.js";
import { scriptError, writeScript, type ModelReplies } from "./model-script.js";
import { findProgram } from "./program.js";

export interface ModelOptions {
  /** Whether requests without a key are answered. By default they are refused, as by the real APIs. */
  keyless?: boolean;
  /** Whether requests are answered that the real APIs refuse for what is in their body. */
  lenient?: boolean;
  /** The speed of replies: `human`, or a multiple of it. By default they come at once. */
  pace?: string;
  /** The path of conform. By default CONFORM of the environment, or that of this package. */
  program?: string;
  /** How long each wait may take, in milliseconds. By default 4,000, less than what vitest gives a test. */
  timeoutMs?: number;
}

/** The variables from which the SDKs of the vendors take the address and the key. */
export type ModelEnv = Readonly<
  Record<
    | "OPENAI_BASE_URL"
    | "OPENAI_API_BASE"
    | "OPENAI_API_KEY"
    | "ANTHROPIC_BASE_URL"
    | "ANTHROPIC_API_KEY"
    | "GOOGLE_GEMINI_BASE_URL"
    | "GEMINI_API_KEY"
    | "NO_PROXY"
    | "no_proxy",
    string
  >
>;

/** The app has sent what does not fit the script, or what the real API would refuse, or has not asked for a reply. */
export class ModelError extends Error {
  override name = "ModelError";

  constructor(
    message: string,
    readonly failures: ModelFailure[],
  ) {
    super(message);
  }
}

/** Called at the end of a test, with the path of the journal, before it is removed. */
type OnEnded = (journal: string, isWrong: boolean) => void | Promise<void>;

/** A scripted model, which serves until it is closed. */
export class MockModel {
  /** The address of the server, without a path. */
  readonly url: string;
  /** The variables for the app, which reads them as the SDKs of the vendors do. Those of the test itself are not among them. */
  readonly env: ModelEnv;

  readonly #process: ModelProcess;
  readonly #own: string;
  readonly #timeoutMs: number;
  readonly #allowed = new Set<ModelFailureKind>();
  readonly #deferred: (() => unknown)[] = [];
  #script: ModelReplies;
  #resets = 0;
  #journal: ModelJournal | null = null;
  #closed: Promise<void> | null = null;
  /** @internal */
  onEnded: OnEnded = () => undefined;

  private constructor(script: ModelReplies, own: string, started: ModelProcess, timeoutMs: number) {
    this.#script = script;
    this.#own = own;
    this.#process = started;
    this.#timeoutMs = timeoutMs;
    this.url = started.url;
    this.env = {
      OPENAI_BASE_URL: `${this.url}/v1`,
      OPENAI_API_BASE: `${this.url}/v1`,
      OPENAI_API_KEY: "mock-key",
      ANTHROPIC_BASE_URL: this.url,
      ANTHROPIC_API_KEY: "mock-key",
      GOOGLE_GEMINI_BASE_URL: this.url,
      GEMINI_API_KEY: "mock-key",
      NO_PROXY: direct(process.env["NO_PROXY"]),
      no_proxy: direct(process.env["no_proxy"]),
    };
  }

  /** @internal */
  static async start(script: ModelReplies, options: ModelOptions): Promise<MockModel> {
    const program = findProgram("conform", options.program);
    const own = mkdtempSync(join(tmpdir(), "mock-model-"));
    try {
      const args = ["provider", "--script", writeScript(script, own), "--journal", join(own, JOURNAL), "--control", join(own, CONTROL)];
      if (!options.keyless) args.push("--require-key");
      if (options.lenient) args.push("--lenient");
      if (options.pace !== undefined) args.push("--pace", options.pace);
      return new MockModel(script, own, await ModelProcess.start(program, args, own), options.timeoutMs ?? 4_000);
    } catch (error) {
      rmSync(own, { recursive: true, force: true });
      throw error instanceof NotStarted && error.isAboutScript ? scriptError(error.text, script, own) : error;
    }
  }

  /** The requests of the app for an answer so far, in order, decoded; also after the model has ended. */
  requests(): ModelRequest[] {
    return this.#read().requests();
  }

  /** Waits until the app has sent a request whose body matches, and returns it. Earlier requests count. */
  async waitForRequest(matches: JsonObject = {}): Promise<ModelRequest> {
    for (let after = 0; ; ) {
      const entry = (await this.#do({ wait_command: { matches, after, timeout_ms: this.#timeoutMs } })) as { n: number; request: number };
      const found = this.requests().find(({ number }) => number === entry.request);
      if (found !== undefined) return found;
      after = entry.n;
    }
  }

  /** Waits until the answer is held at this gate of the script. All before it is written; the app may not have read it yet. */
  async waitForGate(gate: string): Promise<void> {
    await this.#do({ wait_gate: { gate, timeout_ms: this.#timeoutMs } });
  }

  /** Releases a gate of the script permanently, also before it is reached. */
  async release(gate: string): Promise<void> {
    await this.#do({ release: { gate } });
  }

  /** Replaces the script from the next request on, and closes all gates. Replies of the earlier script are no longer missed. */
  async reset(script: ModelReplies): Promise<void> {
    const file = writeScript(script, this.#own, `script-${++this.#resets}.yaml`);
    try {
      await this.#do({ reset: { script: file } });
    } catch (error) {
      throw error instanceof Refused ? scriptError(error.message, script, this.#own) : error;
    }
    this.#script = script;
  }

  /** What was wrong with the requests so far. After `close`, the replies that were not asked for are among it. */
  failures(): ModelFailure[] {
    return this.#read().failures();
  }

  /** Allows failures of this kind, such as `unused`: they do not fail the test. */
  allowFailure(kind: ModelFailureKind): void {
    this.#allowed.add(kind);
  }

  /** Calls the function at the beginning of `close`, the last one first: to end the app, before its requests are judged. */
  defer(action: () => unknown): void {
    this.#deferred.push(action);
  }

  /** Ends the model. Rejects with `ModelError` if the app and the script do not fit. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const errors = await runDeferred(this.#deferred);
    await this.#process.stop(this.#timeoutMs);
    const file = join(this.#own, JOURNAL);
    this.#journal = ModelJournal.read(file);
    const wrong = this.#judge(this.#journal);
    if (wrong !== null) errors.push(wrong);
    await this.onEnded(file, wrong !== null);
    rmSync(this.#own, { recursive: true, force: true });
    throwAll(errors);
  }

  #judge(journal: ModelJournal): ModelError | null {
    const failures = journal.failures().filter((failure) => !this.#allowed.has(failure.kind) && journal.isWrong(failure));
    if (failures.length === 0) return null;
    const isUnused = journal.requests().length === 0;
    const parts = failures.map((failure) => journal.describe(failure, this.#script));
    const hint = "no request has come: does the app use the variables of `env`?";
    return new ModelError(["the app and the script of its model do not fit", ...(isUnused ? [hint] : []), ...parts].join("\n\n"), failures);
  }

  #read(): ModelJournal {
    return this.#journal ?? ModelJournal.read(join(this.#own, JOURNAL));
  }

  async #do(command: unknown): Promise<unknown> {
    const [model] = existsSync(this.#own) ? registered(join(this.#own, CONTROL)) : [];
    if (model === undefined) throw new Error("the model is closed");
    return request(model, command, this.#timeoutMs);
  }
}

const JOURNAL = "journal.jsonl";
const CONTROL = "control";

/** The hosts that are reached without a proxy, as they are named, and the model. */
const direct = (hosts: string | undefined) => [...(hosts ? [hosts] : []), "127.0.0.1"].join(",");

/** Starts a model that answers with these replies, one after the other. Rejects with `ScriptError` if the script has a mistake. */
export function startModel(script: ModelReplies, options: ModelOptions = {}): Promise<MockModel> {
  return MockModel.start(script, options);
}

/** The fixture of a test: starts a model, which is closed when the test ends. */
export type StartModel = typeof startModel;

/** Starts models, and closes them together. */
export class MockModels {
  readonly #models: MockModel[] = [];

  readonly start: StartModel = async (script, options) => {
    const model = await startModel(script, options);
    this.#models.push(model);
    return model;
  };

  /** Closes all; fails as the first one does that fails. */
  async close(onEnded: OnEnded = () => undefined): Promise<void> {
    for (const model of this.#models) model.onEnded = onEnded;
    await closeAll(this.#models);
  }
}
