// One agent that the host has started.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentEnded, request, type Registered } from "./control.js";
import { scriptSetting, type Script } from "./script.js";
import type { CommandOf, EventOf, JsonObject, Protocol } from "./frames.js";
import { isRunning, until } from "./waiting.js";

/** A matcher of `conform`: the members that a command must have; operators such as `{ $type: ... }` compare by more than equality. */
export type Matcher<P = Protocol, Type = string> = { type?: Type } & { [Member in MemberOf<CommandOfType<P, Type>> | `$${string}`]?: unknown };

type MemberOf<Command> = Command extends unknown ? keyof Command : never;

/** An entry of the journal: what the host or the agent has written, or what happened at a gate. */
export type JournalEntry<P extends Protocol = Protocol> = { n: number; /** Microseconds since the start. */ at: number } & (
  | { dir: "host"; frame: CommandOf<P> }
  | { dir: "agent"; frame: EventOf<P> }
  | { dir: "host" | "agent"; frame?: undefined; /** Bytes that are not a JSON object. */ text: string }
  | { dir: "gate"; frame?: undefined; gate: string; state: string }
);

/** The status of an agent. */
export interface Status {
  order: number;
  name: string;
  pid: number;
  session: string | null;
  /** The gates that hold a reply. */
  gates: string[];
  /** The number of journal entries. */
  journal: number;
  /** How long each wait on a stopped clock still takes, in milliseconds. */
  waits_ms: number[];
}

/** How a crash ends the process: with a signal, SIGKILL by default, or with an exit status. SIGTERM ends an agent normally. */
export type Crash = { signal?: "SIGKILL" | "SIGABRT" | "SIGTERM" } | { status: number };

/** The commands of the host that have this `type`. */
export type CommandOfType<P, Type> = Extract<CommandOf<P>, { type: Type }> extends never ? CommandOf<P> : Extract<CommandOf<P>, { type: Type }>;

/** What a test can do with an agent while the host runs. */
export interface Control<P extends Protocol> {
  /** Waits until the answer is held at this gate of the script. All before it is written; the host may not have read it yet. */
  waitForGate(gate: string): Promise<void>;
  /** Releases a gate of the script permanently, also before it is reached. */
  release(gate: string): Promise<void>;
  /** Waits until the host has sent a command that matches, and returns it. Earlier commands count, unless they are up to `after` in the journal. */
  waitForCommand<const Type extends CommandOf<P>["type"]>(matches: Matcher<P, Type>, options?: { after?: number }): Promise<CommandOfType<P, Type>>;
  /**
   * Advances the clock of an agent with `clock: "stopped"`, once something waits for it. Returns when the agent has done what follows: how long
* each remaining wait still takes, in milliseconds.
   */
  advance(milliseconds: number): Promise<number[]>;
  /** Sends an event to the host. */
  send(event: EventOf<P> | JsonObject): Promise<void>;
  /** Writes raw text to the host, without a line feed. */
  sendRaw(text: string): Promise<void>;
  /** Plays a fault from now on; `conform list faults` lists them. */
  fault(id: string): Promise<void>;
  /** Ends the process immediately, after the events sent so far; with SIGTERM normally. */
  crash(how?: Crash): Promise<void>;
  /** Replaces the script from the next request to the model on, and closes all gates. */
  reset(script: Script): Promise<void>;
  /** What the host and the agent have written, and what happened at gates. */
  journal(options?: { after?: number }): Promise<JournalEntry<P>[]>;
  /** The commands of the host so far, in order. */
  commands(): Promise<CommandOf<P>[]>;
  status(): Promise<Status>;
}

/** One agent, by its number in the order in which the host has started them. */
export class AgentProcess<P extends Protocol = Protocol> implements Control<P> {
  readonly #registered: Registered;
  readonly #folder: string;
  readonly #timeoutMs: number;

  /** @internal */
  constructor(registered: Registered, folder: string, timeoutMs: number) {
    this.#registered = registered;
    this.#folder = folder;
    this.#timeoutMs = timeoutMs;
  }

  get number(): number {
    return this.#registered.order;
  }

  get pid(): number {
    return this.#registered.pid;
  }

  get isRunning(): boolean {
    return isRunning(this.pid);
  }

  /** Waits until the process has ended. */
  async waitForEnd(): Promise<void> {
    const ended = await until(() => (this.isRunning ? null : true), this.#timeoutMs);
    if (ended === null) throw new Error(`the agent ${this.number} (process ${this.pid}) still runs`);
  }

  async waitForGate(gate: string): Promise<void> {
    await this.#do({ wait_gate: { gate, timeout_ms: this.#timeoutMs } });
  }

  async release(gate: string): Promise<void> {
    await this.#do({ release: { gate } });
  }

  async waitForCommand<const Type extends CommandOf<P>["type"]>(
    matches: Matcher<P, Type>,
    { after = 0 }: { after?: number } = {},
  ): Promise<CommandOfType<P, Type>> {
    const entry = await this.#do({ wait_command: { matches, after, timeout_ms: this.#timeoutMs } });
    return (entry as { frame: CommandOfType<P, Type> }).frame;
  }

  async advance(milliseconds: number): Promise<number[]> {
    const advanced = await this.#do({ advance: { by_ms: milliseconds, timeout_ms: this.#timeoutMs } });
    return (advanced as { waits_ms: number[] }).waits_ms;
  }

  async send(event: EventOf<P> | JsonObject): Promise<void> {
    await this.#do({ send: { frame: event } });
  }

  async sendRaw(text: string): Promise<void> {
    await this.#do({ send_raw: { text } });
  }

  async fault(id: string): Promise<void> {
    await this.#do({ fault: { id } });
  }

  async crash(how: Crash = {}): Promise<void> {
    try {
      await this.#do({ crash: how });
    } catch (error) {
      if (!(error instanceof AgentEnded)) throw error;
    }
    await this.waitForEnd();
  }

  async reset(script: Script): Promise<void> {
    const file = join(this.#folder, `script-${this.number}-reset.yaml`);
    await this.#do({ reset: { script: scriptSetting(script, (text) => (writeFileSync(file, text), file)) } });
  }

  async journal({ after = 0 }: { after?: number } = {}): Promise<JournalEntry<P>[]> {
    return ((await this.#do({ journal: { after } })) as { entries: JournalEntry<P>[] }).entries;
  }

  async commands(): Promise<CommandOf<P>[]> {
    const entries = await this.journal();
    return entries.flatMap((entry) => (entry.dir === "host" && entry.frame !== undefined ? [entry.frame] : []));
  }

  async status(): Promise<Status> {
    return (await this.#do("status")) as Status;
  }

  #do(command: unknown): Promise<unknown> {
    return request(this.#registered, command, this.#timeoutMs);
  }
}
