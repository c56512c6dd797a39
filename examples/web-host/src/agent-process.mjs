// The agent as a child process: JSON objects in and out, its stderr, and its end.
import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { LineSplitter } from "./lines.mjs";

/** How long a process may take to end after stdin was closed, and again after SIGTERM, in milliseconds. */
const GRACE = 2000;

/** Why this program cannot be started; null if it can. */
export function problemOf(program, cwd, env = process.env) {
  if (!existsSync(cwd)) return `the folder ${cwd} does not exist`;
  const isPath = program.includes("/");
  const places = isPath ? [resolve(cwd, program)] : (env.PATH ?? "").split(delimiter).map((folder) => resolve(cwd, folder, program));
  if (places.some(isExecutable)) return null;
  if (!isPath) return `${program} is not on the PATH`;
  return existsSync(places[0]) ? `${program} is not executable` : `${program} does not exist`;
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Emits `frame` (a JSON object), `problem` (a text: output that is not a JSON object), `stderr` (a text) and, last and once,
 * `exit` with `{ code, signal, error, torn }`. `torn` is a last line without its end.
 */
export class AgentProcess extends EventEmitter {
  #child;
  #lines = new LineSplitter();
  #ended;

  constructor({ command, cwd, env }) {
    super();
    const [program, ...args] = command;
    // A process group of its own, so that the tools of the agent end with it.
    this.#child = spawn(program, args, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    this.#child.stdout.on("data", (chunk) => this.#lines.push(chunk).forEach((line) => this.#read(line)));
    this.#child.stderr.setEncoding("utf8").on("data", (text) => this.emit("stderr", text));
    // The agent may end while it is written to. Its exit says so.
    this.#child.stdin.on("error", () => {});
    this.#ended = new Promise((resolve) => this.once("exit", resolve));
    this.#child.on("error", (error) => this.#end({ code: null, signal: null, error: problemOf(program, cwd, env) ?? error.message }));
    // A process that the agent left running can hold the pipes open. Without it, `close` follows `exit`.
    this.#child.on("exit", () => this.#signal("SIGKILL"));
    this.#child.on("close", (code, signal) => this.#end({ code, signal, error: null }));
  }

  send(command) {
    if (this.#child.stdin.writable) this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** Ends the process: closes stdin, then SIGTERM, then SIGKILL. Resolves when it has ended. */
  async stop() {
    this.#child.stdin.end();
    const timers = ["SIGTERM", "SIGKILL"].map((signal, n) => setTimeout(() => this.#signal(signal), GRACE * (n + 1)));
    await this.#ended;
    timers.forEach(clearTimeout);
  }

  /** Ends the process at once. */
  kill() {
    this.#signal("SIGKILL");
  }

  #read({ text, problem }) {
    if (problem) return this.emit("problem", problem);
    let frame;
    try {
      frame = JSON.parse(text);
    } catch {
      return this.emit("problem", `a line is not JSON: ${text.slice(0, 200)}`);
    }
    const isObject = typeof frame === "object" && frame !== null && !Array.isArray(frame);
    if (isObject) this.emit("frame", frame);
    else this.emit("problem", `a line is not a JSON object: ${text.slice(0, 200)}`);
  }

  #signal(signal) {
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // The process group has ended, or was never started.
    }
  }

  #end(end) {
    const rest = this.#lines.end();
    this.emit("exit", { ...end, torn: rest && (rest.text ?? rest.problem) });
    this.removeAllListeners();
  }
}
