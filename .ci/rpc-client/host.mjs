// A host: pi's RpcClient with an agent of its own, whose calls and frames are recorded step by step.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The longest time of a wait, in milliseconds. */
const TIMEOUT = 20_000;

/** The methods of RpcClient that no host calls. */
const INTERNAL = ["constructor", "handleLine", "createProcessExitError", "rejectPendingRequests", "send", "getData"];

/** Every method that a host can call. */
export const methods = (RpcClient) => Object.getOwnPropertyNames(RpcClient.prototype).filter((name) => !INTERNAL.includes(name));

export class Host {
  #client;
  #conform;
  #control;
  #workspace;
  #step;
  /** What happened in each step: its name, the calls with their results, and the events and the responses of the agent. */
  steps = [];
  called = new Set();

  /** `options` are those of RpcClient. The gates of the model are released in the folder `control`. */
  constructor(RpcClient, options, { conform, control }) {
    this.#client = new RpcClient(options);
    this.#conform = conform;
    this.#control = control;
    this.#workspace = options.cwd;
    const handleLine = this.#client.handleLine.bind(this.#client);
    this.#client.handleLine = (line) => {
      this.#record(JSON.parse(line));
      handleLine(line);
    };
  }

  /** Records a frame. Responses may come anywhere among the events, so they are a list of their own. Their data is in the calls' results. */
  #record(frame) {
    if (frame.type !== "response") this.#step?.events.push(frame);
    else this.#step?.responses.push({ ...frame, data: undefined });
  }

  has(method) {
    return typeof this.#client[method] === "function";
  }

  inWorkspace(name) {
    return join(this.#workspace, name);
  }

  /** Calls a method and records its result or its error. A method that this version does not have is left out. */
  async call(method, ...args) {
    if (!this.has(method)) return undefined;
    this.called.add(method);
    if (method === "promptAndWait") this.called.add("collectEvents");
    const call = { call: method, args };
    this.#step.calls.push(call);
    try {
      const result = await this.#client[method](...args);
      call.result = method === "promptAndWait" ? result.map((event) => event.type) : result;
    } catch (error) {
      call.error = error.message;
    }
    return call.result;
  }

  /** Resolves when a run ends, with all of its retries and queued messages. */
  idle() {
    this.called.add("waitForIdle");
    return this.#client.waitForIdle(TIMEOUT);
  }

  /** Resolves at the next event of this type. */
  event(type) {
    this.called.add("onEvent");
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${type} in ${TIMEOUT} ms`)), TIMEOUT);
      const unsubscribe = this.#client.onEvent((event) => {
        if (event.type !== type) return;
        clearTimeout(timer);
        unsubscribe();
        resolve(event);
      });
    });
  }

  /** Runs `conform ctl` with this command. */
  async control(...command) {
    await run(this.#conform, ["ctl", "--timeout-ms", String(TIMEOUT), this.#control, ...command]);
  }

  /** Starts the agent, plays the steps and stops the agent. */
  async play(steps) {
    await this.#within("the start", () => this.call("start"));
    const child = this.#client.process;
    try {
      for (const [name, act] of steps) await this.#within(name, () => act(this));
    } finally {
      const exit = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
      await this.#within("the end", async () => {
        await this.call("stop");
        await this.call("getStderr");
        this.#step.calls.push({ call: "the exit", args: [], result: await exit });
      });
    }
  }

  async #within(name, act) {
    this.#step = { name, calls: [], responses: [], events: [] };
    this.steps.push(this.#step);
    try {
      await act();
    } catch (error) {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    }
  }
}
