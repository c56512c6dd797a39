// What a test prepares: the command and the environment for the host, and the agents that the host starts with them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { AgentProcess, type Control, type Crash, type CommandOfType, type JournalEntry, type Matcher, type Status } from "./agent-process.js";
import { closeAll, runDeferred, throwAll } from "./closing.js";
import { AgentEnded, Refused, failedStart, registered, request } from "./control.js";
import { judge, type Finding } from "./findings.js";
import { argumentsOf, findProgram } from "./program.js";
import { scriptSetting, type Script } from "./script.js";
import { JUDGE, Session, TRANSCRIPT } from "./sessions.js";
import type { BuiltInProtocol, CommandOf, EventOf, JsonObject, Protocol } from "./frames.js";
import { isMatch } from "./matching.js";
import { checkStart } from "./start-check.js";
import { isRunning, until } from "./waiting.js";

interface CommonOptions {
  /** The replies of the agent. Without it, the agent repeats the prompt. */
  script?: Script;
  /** A fault to play, `ID` or `ID@turn=N`; `conform list faults` lists them. */
  fault?: string;
  /** The speed of replies: `human`, or a multiple of it. */
  pace?: string;
  /** How often aionrs and synaps try a failed request to the model again. By default 0. */
  retries?: number;
  /** `stopped` until the test advances it, or how many times as fast the waits of the agent pass: before retries, of delays and of the pace. */
  clock?: "stopped" | number;
  /** More arguments, after those of the protocol. */
  args?: readonly string[];
  /** More variables, such as MOCK_AGENT_LATENCY_MS. */
  env?: Readonly<Record<string, string>>;
  /** The path of mock-agent. By default MOCK_AGENT of the environment, or that of this package. */
  program?: string;
  /** How long each wait may take, in milliseconds. By default 4,000, less than what vitest gives a test. */
  timeoutMs?: number;
  /** Whether agents may run on when the test ends, as those of a server that is shared by tests do. They are then ended. */
  mayOutlive?: boolean;
  /** Whether the host may start no agent at all, or one that cannot start. */
  mayStayUnused?: boolean;
}

interface BuiltInDialect<P extends Protocol> {
  /** `NAME@VERSION`, or `NAME` for the version that its hosts speak. Without it, the arguments of the host decide. */
  protocol?: P & BuiltInProtocol;
  dialectDir?: undefined;
}

interface OwnDialect<P extends Protocol> {
  /** `NAME@VERSION` of a dialect in the folder; by default the only one. */
  protocol?: P;
  /** A folder of own dialects. */
  dialectDir: string;
}

export type MockAgentOptions<P extends Protocol = Protocol> = CommonOptions & (BuiltInDialect<P> | OwnDialect<P>);

/** Called with the transcripts of a test, before they are removed. */
type OnEnded = (transcripts: string[], isBroken: boolean) => void | Promise<void>;

/** How long an agent may take to start, in milliseconds. */
const START_MS = 2_000;

/** A mock agent for a host. Its methods act on the agent that was started last and still runs; they wait until there is one. */
export class MockAgent<P extends Protocol = Protocol> implements Control<P> {
  /** The program for the host to start, and the arguments that select the protocol. */
  readonly command: string;
  readonly args: readonly string[];
  /** The variables for the host, which passes them on to its agents. Those of the test itself are not among them. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder that only this test has, for example as the workspace of the agent. It is removed at the end, unless the host broke the protocol. */
  readonly folder: string;

  readonly #options: MockAgentOptions<P>;
  readonly #own: string;
  readonly #control: string;
  readonly #expected = new Set<string>();
  readonly #allowed = new Set<string>();
  readonly #deferred: (() => unknown)[] = [];
  #closed: Promise<void> | null = null;
  /** @internal Called when all agents have ended, with the transcripts, and whether the host broke the protocol. */
  onEnded: OnEnded = () => undefined;

  constructor(options: MockAgentOptions<P> = {}) {
    this.#options = options;
    const { protocol, script, fault, pace, clock, retries, dialectDir } = options;
    this.command = findProgram("mock-agent", options.program);
    this.args = [...(dialectDir === undefined ? argumentsOf(protocol) : []), ...(options.args ?? [])];
    this.#own = mkdtempSync(join(tmpdir(), "mock-agent-"));
    this.folder = join(this.#own, "workspace");
    mkdirSync(this.folder);
    this.#control = join(this.#own, "control");
    const file = join(this.#own, "script.yaml");
    this.env = {
      MOCK_AGENT_CONTROL: process.platform === "win32" ? `tcp:${this.#control}` : this.#control,
      MOCK_AGENT_JUDGE: join(this.#own, JUDGE),
      MOCK_AGENT_TRANSCRIPT: join(this.#own, TRANSCRIPT),
      ...(protocol !== undefined && { [dialectDir === undefined ? "MOCK_AGENT_PROTOCOL" : "MOCK_AGENT_DIALECT"]: protocol }),
      ...(dialectDir !== undefined && { MOCK_AGENT_DIALECT_DIR: resolve(dialectDir) }),
      ...(script !== undefined && { MOCK_AGENT_SCRIPT: scriptSetting(script, (text) => (writeFileSync(file, text), file)) }),
      ...(fault !== undefined && { MOCK_AGENT_FAULT: fault }),
      ...(pace !== undefined && { MOCK_AGENT_PACE: pace }),
      ...(retries !== undefined && { MOCK_AGENT_RETRIES: String(retries) }),
      ...(clock !== undefined && { MOCK_AGENT_CLOCK: String(clock) }),
      ...options.env,
    };
  }

  /** @internal Rejects if an agent cannot start with this protocol and this script, unless that is what the test is about. */
  async checkStart(): Promise<void> {
    const { protocol, dialectDir, mayStayUnused = false } = this.#options;
    if (mayStayUnused || (protocol ?? dialectDir) === undefined) return;
    const folder = join(this.#own, "check");
    mkdirSync(folder);
    await checkStart(this.command, dialectDir === undefined ? argumentsOf(protocol) : [], this.env, folder);
    rmSync(folder, { recursive: true });
  }

  /** The agents that the host has started, in order, also those that have ended. */
  agents(): AgentProcess<P>[] {
    return registered(this.#control).map((agent) => new AgentProcess<P>(agent, this.#own, this.#timeoutMs));
  }

  /** Waits for an agent of the host: by its number from 1, also one that has ended since, or one that runs. */
  async waitForAgent(number?: number): Promise<AgentProcess<P>> {
    const found = await until(async () => (await this.#find(number)) ?? failedStart(this.#control), this.#timeoutMs);
    if (typeof found === "string") throw new Error(found);
    if (found !== null) return found;
    const started = this.agents().length;
    const which = number === undefined ? "no agent" : `no agent ${number}`;
    const why = started === 0 ? "does the host start `command` with the variables of `env`?" : `${started} have started${number === undefined ? " and ended" : ""}`;
    throw new Error(`${which} has started within ${this.#timeoutMs} ms: ${why}`);
  }

  async waitForGate(gate: string): Promise<void> {
    await (await this.waitForAgent()).waitForGate(gate);
  }

  async release(gate: string): Promise<void> {
    await (await this.waitForAgent()).release(gate);
  }

  async waitForCommand<const Type extends CommandOf<P>["type"]>(matches: Matcher<P, Type>, options?: { after?: number }): Promise<CommandOfType<P, Type>> {
    for (;;) {
      const running = await this.#find(undefined);
      const ended = running === null && options === undefined ? Session.all(this.#own).at(-1) : undefined;
      const command = ended?.commands().find((command) => isMatch(command, matches));
      if (command !== undefined) return command as CommandOfType<P, Type>;
      try {
        return await (running ?? (await this.waitForAgent())).waitForCommand(matches, options);
      } catch (error) {
        if (!(error instanceof AgentEnded)) throw error;
      }
    }
  }

  async advance(milliseconds: number): Promise<number[]> {
    return (await this.waitForAgent()).advance(milliseconds);
  }

  async send(event: EventOf<P> | JsonObject): Promise<void> {
    await (await this.waitForAgent()).send(event);
  }

  async sendRaw(text: string): Promise<void> {
    await (await this.waitForAgent()).sendRaw(text);
  }

  async fault(id: string): Promise<void> {
    await (await this.waitForAgent()).fault(id);
  }

  async crash(how?: Crash): Promise<void> {
    await (await this.waitForAgent()).crash(how);
  }

  async reset(script: Script): Promise<void> {
    await (await this.waitForAgent()).reset(script);
  }

  async journal(options?: { after?: number }): Promise<JournalEntry<P>[]> {
    return (await this.waitForAgent()).journal(options);
  }

  /** The commands of the host to all of its agents, one agent after the other, also after they have ended. */
  async commands(): Promise<CommandOf<P>[]> {
    return Session.all(this.#own).flatMap((session) => session.commands()) as CommandOf<P>[];
  }

  async status(): Promise<Status> {
    return (await this.waitForAgent()).status();
  }

  /** The mistakes of the host so far, by the judgement of each agent. */
  findings(): Finding[] {
    return Session.all(this.#own).flatMap((session) => session.findings());
  }

  /** Expects that the host breaks this rule or clause, such as `aionrs/message-id-unique`. `close` then fails if it does not. */
  expectFinding(id: string): void {
    this.#expected.add(id);
  }

  /** Allows the host to break this rule or clause, such as one with the level `should`. */
  allowFinding(id: string): void {
    this.#allowed.add(id);
  }

  /** Calls the function at the beginning of `close`, the last one first: to end the host, before it is judged. */
  defer(action: () => unknown): void {
    this.#deferred.push(action);
  }

  /**
   * Ends the test: waits until the agents have ended, and fails if one outlives its host, if the host broke the protocol, or if it has started
   * no agent.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const errors = await runDeferred(this.#deferred);
    const { mayOutlive = false, mayStayUnused = false } = this.#options;
    // The host may have just started one.
    const started = () => (this.agents().length > 0 ? true : failedStart(this.#control));
    if (!mayStayUnused) await until(started, Math.min(START_MS, this.#timeoutMs));
    const agents = this.agents();
    // Between the host and each agent is a process that judges, which ends last.
    const running = () => [...agents, ...Session.all(this.#own)].map(({ pid }) => pid).filter(isRunning);
    const ended = () => until(() => (running().length === 0 ? true : null), this.#timeoutMs);
    if (!mayOutlive) await ended();
    for (const agent of agents.filter(({ isRunning }) => isRunning)) {
      if (!mayOutlive) errors.push(new Error(outlived(agent, this.#timeoutMs)));
      try {
        await agent.crash();
      } catch (error) {
        // An agent that is ending by itself refuses it.
        if (!(error instanceof Refused)) errors.push(error);
      }
    }
    await ended();
    const unused = failedStart(this.#control) ?? (agents.length === 0 ? "the host has started no agent: does it pass on the variables of `env`?" : null);
    if (unused !== null && !mayStayUnused) errors.push(new Error(unused));
    const broken = judge(this.findings(), this.#expected, this.#allowed);
    if (broken) errors.push(broken);
    await this.onEnded(Session.all(this.#own).map(({ transcript }) => transcript), broken !== null);
    // The transcript of a session with a mistake is kept: the message names it.
    if (!broken) rmSync(this.#own, { recursive: true, force: true });
    throwAll(errors);
  }

  async #find(number: number | undefined): Promise<AgentProcess<P> | null> {
    const all = registered(this.#control);
    const wrap = (agent: (typeof all)[number]) => new AgentProcess<P>(agent, this.#own, this.#timeoutMs);
    if (number !== undefined) return all.filter(({ order }) => order === number).map(wrap)[0] ?? null;
    for (const agent of all.reverse()) {
      const answers = await request(agent, "status", this.#timeoutMs).then(() => true, () => false);
      if (answers) return wrap(agent);
    }
    return null;
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? 4_000;
  }
}

const outlived = ({ number, pid }: AgentProcess, timeoutMs: number) =>
  `the agent ${number} (process ${pid}) still runs ${timeoutMs} ms after the end of the test: end it, or its host, for example with \`agent.defer(() => host.close())\`; a server that tests share has \`mayOutlive: true\``;

/** Prepares a mock agent. The host starts it: with `command`, `args` and the variables of `env`. Rejects if it cannot start with its script. */
export async function startMockAgent<const P extends Protocol = Protocol>(options: MockAgentOptions<P> = {}): Promise<MockAgent<P>> {
  const agent = new MockAgent<P>(options);
  await agent.checkStart();
  return agent;
}

/** The fixture of a test: prepares a mock agent, which is closed when the test ends. */
export type StartMockAgent = MockAgents["start"];

/** Prepares mock agents, and closes them together. */
export class MockAgents {
  readonly #agents: MockAgent[] = [];

  readonly start = async <const P extends Protocol = Protocol>(options: MockAgentOptions<P> = {}): Promise<MockAgent<P>> => {
    const agent = await startMockAgent(options);
    this.#agents.push(agent as unknown as MockAgent);
    return agent;
  };

  /** Closes all; fails as the first one does that fails. */
  async close(onEnded: OnEnded = () => undefined): Promise<void> {
    for (const agent of this.#agents) agent.onEnded = onEnded;
    await closeAll(this.#agents);
  }
}
