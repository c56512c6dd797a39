// Controls the mock agents that a host starts. Copy this file into the tests of your host: it needs nothing but Node.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long the waits of a test may take, in milliseconds. Only a failure waits this long. */
const TIMEOUT = 20_000;

/** What the agents of one test share: a folder in which they register, write their judgements, and find their script. */
export class MockAgents {
  #clients = [];

  constructor(folder) {
    this.folder = folder;
  }

  /** The environment for the host, which passes it on to its agents. */
  env(settings = {}) {
    return {
      ...process.env,
      MOCK_AGENT_CONTROL: join(this.folder, "control"),
      MOCK_AGENT_JUDGE: join(this.folder, "host-{pid}.txt"),
      MOCK_AGENT_TRANSCRIPT: join(this.folder, "session-{pid}.jsonl"),
      ...settings,
    };
  }

  /** The client of the agent that was started as the first, second, ... one. Waits until it has started. */
  async agent(order = 1) {
    const file = join(this.folder, "control", `${order}.json`);
    const end = Date.now() + TIMEOUT;
    while (!existsSync(file)) {
      if (Date.now() > end) throw new Error(`agent ${order} has not started`);
      await sleep(10);
    }
    const client = new Agent(JSON.parse(readFileSync(file, "utf8")));
    this.#clients.push(client);
    return client;
  }

  /** What the host did wrong, by the judgement of each agent. Fails if no agent judged. */
  mistakes() {
    const files = readdirSync(this.folder).filter((name) => /^host-\d+\.txt$/.test(name));
    if (files.length === 0) throw new Error("no agent has judged the host");
    return files.map((name) => readFileSync(join(this.folder, name), "utf8")).join("");
  }

  /** The commands of the host in all sessions, also after the agents have ended. */
  transcript() {
    const files = readdirSync(this.folder).filter((name) => /^session-\d+\.jsonl$/.test(name));
    const lines = files.flatMap((name) => readFileSync(join(this.folder, name), "utf8").trim().split("\n"));
    const frames = lines.map((line) => JSON.parse(line)).filter(({ dir }) => dir === "to_agent");
    return frames.map(({ line }) => JSON.parse(line));
  }

  /** Waits until all agents have ended; fails with the process ids of those that run on. */
  async ended() {
    const folder = join(this.folder, "control");
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
    const pids = files.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).pid);
    const end = Date.now() + TIMEOUT;
    for (let running = pids.filter(isRunning); running.length > 0; running = running.filter(isRunning)) {
      if (Date.now() > end) throw new Error(`agents that outlived their host: ${running}`);
      await sleep(10);
    }
  }

  close() {
    this.#clients.forEach((client) => client.close());
  }
}

/** One running agent: requests and responses are JSON objects, one on a line, over a Unix socket. */
class Agent {
  #socket;
  #waiting = [];

  constructor({ address, pid }) {
    this.pid = pid;
    this.#socket = connect(address.replace(/^unix:/, ""));
    // An agent that crashes ends the connection; the request in progress says so.
    this.#socket.on("error", () => {});
    let rest = "";
    this.#socket.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      lines.forEach((line) => this.#waiting.shift()?.(JSON.parse(line)));
    });
    this.#socket.on("close", () => this.#waiting.forEach((resolve) => resolve({ error: "the agent has ended" })));
  }

  /** Waits until the answer is held at this gate of the script. */
  waitGate(gate) {
    return this.#request({ wait_gate: { gate, timeout_ms: TIMEOUT } });
  }

  release(gate) {
    return this.#request({ release: { gate } });
  }

  /** Waits for a command of the host that matches; returns it. */
  async waitCommand(matches, after = 0) {
    return (await this.#request({ wait_command: { matches, after, timeout_ms: TIMEOUT } })).frame;
  }

  /** The commands of the host so far, in order. */
  async commands() {
    return (await this.#request({ journal: {} })).entries.filter(({ dir }) => dir === "host").map(({ frame }) => frame);
  }

  send(frame) {
    return this.#request({ send: { frame } });
  }

  sendRaw(text) {
    return this.#request({ send_raw: { text } });
  }

  fault(id) {
    return this.#request({ fault: { id } });
  }

  /** Ends the process at once, with SIGKILL or this exit status. */
  crash(status = null) {
    return this.#request({ crash: { status } }).catch(() => {});
  }

  close() {
    this.#socket.destroy();
  }

  /** Responses come in the order of the requests. */
  async #request(command) {
    if (this.#socket.destroyed) throw new Error("the agent has ended");
    const response = new Promise((resolve) => this.#waiting.push(resolve));
    this.#socket.write(`${JSON.stringify({ do: command })}\n`);
    const { ok, error } = await response;
    if (error) throw new Error(error);
    return ok;
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
