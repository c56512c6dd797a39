// One conversation: an agent process, its turns, and a log of events that any number of pages can read from any point.
import { randomUUID } from "node:crypto";
import { AgentProcess } from "./agent-process.mjs";

/** The longest tool output that is sent to a page, in characters. */
const LONGEST_OUTPUT = 100_000;

/** Default timeouts in milliseconds: until the agent is ready, of silence in a turn, and from a stop to the end of its turn. */
const TIMEOUTS = { ready: 30_000, silence: 60_000, stop: 5_000 };

/** A request of the page that cannot be carried out now. */
export class Refusal extends Error {}

export class Conversation {
  #options;
  #log = [];
  #listeners = new Set();
  /** Text that is not in the log yet. */
  #unsent = null;
  #process = null;
  #protocol;
  #state = "starting";
  #timers = {};
  /** The ids of all turns, and the one that has not ended. */
  #turns = new Set();
  #turn = null;
  #stopped = false;
  /** Why the host killed the agent. */
  #killed = null;
  /** The calls that have not ended, by id: `asking`, `answered` or `running`. */
  #calls = new Map();

  /** `agent` is a command line, `Protocol` a class of `protocols/`. */
  constructor({ agent, Protocol, cwd, env = process.env, timeouts = {} }) {
    this.id = randomUUID();
    this.#options = { agent, Protocol, cwd, env, timeouts: { ...TIMEOUTS, ...timeouts } };
    this.#start();
  }

  /** Calls the listener with each event after this number, past and future. Returns a function that ends this. */
  subscribe(after, listener) {
    this.#log.slice(after).forEach(listener);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  prompt(text) {
    if (typeof text !== "string" || text.trim() === "") throw new Refusal("the prompt is empty");
    if (this.#state !== "ready") throw new Refusal("the agent is not ready");
    if (this.#turn) throw new Refusal("the agent has not ended its turn");
    const turn = randomUUID();
    this.#turns.add(turn);
    this.#turn = turn;
    this.#stopped = false;
    this.#publish({ type: "prompt", turn, text });
    this.#send(this.#protocol.prompt(turn, text));
    this.#watch();
  }

  /** Answers a call. A call is answered once, whatever the page sends. */
  answer(call, decision, reason = "") {
    if (!["approve", "approve-all", "deny"].includes(decision)) throw new Refusal("no such decision");
    if (this.#calls.get(call) !== "asking") throw new Refusal("the call waits for no answer");
    this.#calls.set(call, "answered");
    this.#publish({ type: "call-answered", turn: this.#turn, call, decision });
    this.#send(this.#protocol.answer(call, decision, String(reason) || "The user said no."));
    this.#watch();
  }

  /** Stops the turn. An agent that does not end its turn then is killed. */
  stop() {
    if (!this.#turn) throw new Refusal("there is no turn to stop");
    if (this.#stopped) return;
    this.#stopped = true;
    this.#publish({ type: "stopping", turn: this.#turn });
    this.#send(this.#protocol.stop());
    this.#timer("stop", () => this.#giveUp("The agent did not stop and was killed."));
  }

  /** Starts the agent again, without memory of the turns so far. */
  restart() {
    if (this.#state !== "ended") throw new Refusal("the agent has not ended");
    this.#start();
  }

  /** Ends the agent. A turn is stopped first, so that no call stays without an answer. */
  async close() {
    if (this.#turn && !this.#stopped) this.stop();
    await this.#process?.stop();
  }

  #start() {
    const { agent, Protocol, cwd, env, timeouts } = this.#options;
    this.#protocol = new Protocol();
    this.#state = "starting";
    this.#killed = null;
    this.#publish({ type: "starting" });
    const command = [...agent, ...this.#protocol.args(randomUUID())];
    this.#process = new AgentProcess({ command, cwd, env });
    this.#process.on("frame", (frame) => this.#read(frame));
    this.#process.on("problem", (text) => this.#publish({ type: "problem", text }));
    this.#process.on("stderr", (text) => this.#publish({ type: "stderr", text }));
    this.#process.on("exit", (end) => this.#exit(end));
    this.#protocol.hello().forEach((command) => this.#send(command));
    this.#timer("ready", () => this.#giveUp(`The agent was not ready after ${timeouts.ready / 1000} s and was killed.`));
  }

  #send(command) {
    this.#process.send(command);
  }

  #read(frame) {
    let events;
    try {
      events = this.#protocol.read(frame, this.#turn);
    } catch (error) {
      return this.#publish({ type: "problem", text: `${error.message}: ${JSON.stringify(frame).slice(0, 200)}` });
    }
    events.forEach((event) => this.#apply(event));
    this.#watch();
  }

  /** Notes what an event changes, and publishes it. */
  #apply(event) {
    const { turn } = event;
    if (event.type === "ready") return this.#ready(event);
    if (event.type === "reply") return this.#send(event.command);
    const general = !turn && (event.type === "error" || event.type === "info");
    if (!general && !this.#turns.has(turn)) return this.#publish({ type: "problem", text: `${event.type} of an unknown turn: ${turn}` });
    if (!general && turn !== this.#turn) return this.#publish({ ...event, late: true });
    switch (event.type) {
      case "call":
        if (this.#calls.has(event.call)) return this.#publish({ type: "problem", text: `the agent asks for the call ${event.call} again` });
        this.#calls.set(event.call, "asking");
        break;
      case "call-running":
        this.#calls.set(event.call, "running");
        break;
      case "call-result":
      case "call-cancelled":
        this.#calls.delete(event.call);
        break;
      case "turn-end":
        return this.#endTurn(this.#stopped ? "stopped" : "done");
    }
    if (event.output?.length > LONGEST_OUTPUT) event.output = `${event.output.slice(0, LONGEST_OUTPUT)}\n(cut here)`;
    this.#publish(event);
  }

  #ready({ version, known }) {
    if (this.#state !== "starting") return this.#publish({ type: "problem", text: "the agent says again that it is ready" });
    this.#timer("ready", null);
    this.#state = "ready";
    this.#publish({ type: "ready", version });
    if (!known) this.#publish({ type: "problem", text: `the agent speaks version ${version} of the protocol, which this host does not know` });
  }

  #endTurn(outcome, text) {
    const turn = this.#turn;
    this.#turn = null;
    this.#calls.clear();
    this.#timer("stop", null);
    this.#timer("silence", null);
    this.#publish({ type: "turn-end", turn, outcome, text });
  }

  #exit({ code, signal, error, torn }) {
    Object.keys(this.#timers).forEach((name) => this.#timer(name, null));
    this.#state = "ended";
    if (torn) this.#publish({ type: "problem", text: `the last line is not complete: ${torn.slice(0, 200)}` });
    const how = error ?? (signal ? `signal ${signal}` : `status ${code}`);
    const text = this.#killed ?? `The agent ended in the middle of its answer (${how}).`;
    if (this.#turn) this.#endTurn(this.#stopped ? "stopped" : "crashed", text);
    this.#publish({ type: "ended", how });
  }

  #giveUp(text) {
    this.#killed = text;
    this.#publish({ type: "problem", text });
    this.#process.kill();
  }

  /** Measures the silence of the agent, except while the user is asked or a tool runs: both may take as long as they need. */
  #watch() {
    if (!this.#turn) return;
    const { silence } = this.#options.timeouts;
    const busy = [...this.#calls.values()].some((state) => state !== "answered");
    const turn = this.#turn;
    this.#timer("silence", busy ? null : () => this.#publish({ type: "silent", turn, seconds: silence / 1000 }));
  }

  /** Sets the timer of a timeout, or clears it if there is no action. */
  #timer(name, action) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = action && setTimeout(action, this.#options.timeouts[name]);
  }

  /** Text that arrives at once becomes one event, however many frames it came in. */
  #publish(event) {
    const { type, turn, late, text } = event;
    const isText = type === "text" || type === "thinking";
    const last = this.#unsent;
    if (isText && last?.type === type && last.turn === turn && last.late === late) {
      last.text += text;
      return;
    }
    this.#flush();
    if (!isText) return this.#append(event);
    this.#unsent = { ...event };
    setImmediate(() => this.#flush());
  }

  #flush() {
    const event = this.#unsent;
    this.#unsent = null;
    if (event) this.#append(event);
  }

  #append(event) {
    const numbered = { n: this.#log.length + 1, ...event };
    this.#log.push(numbered);
    this.#listeners.forEach((listener) => listener(numbered));
  }
}
