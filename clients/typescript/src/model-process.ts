// The process of a scripted model: `conform provider`, from its start to its end.
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** What still runs when the test runner ends, with its folder. */
const running = new Map<ChildProcess, string>();

process.on("exit", () => {
  for (const [child, folder] of running) {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The process has ended before it served. */
export class NotStarted extends Error {
  override name = "NotStarted";

  /** `text` is what the process has said. */
  constructor(readonly text: string) {
    super(`the model did not start: ${text.trimEnd()}`);
  }

  /** Whether the script is wrong, not an option or the program. */
  get isAboutScript(): boolean {
    return this.text !== "" && !this.text.includes("try '--help'");
  }
}

export class ModelProcess {
  readonly pid: number;
  /** The address of the server, without a path. */
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  private constructor(child: ChildProcess, url: string, ended: Promise<void>) {
    this.#child = child;
    this.#ended = ended;
    this.pid = child.pid ?? 0;
    this.url = url;
  }

  /** Starts the program, which writes its messages to a file in this folder, and waits for its address. Rejects with `NotStarted` if it has none. */
  static async start(program: string, args: readonly string[], folder: string): Promise<ModelProcess> {
    const messages = join(folder, "messages.txt");
    const stderr = openSync(messages, "w");
    // The variables of mock agents, such as that of the folder of their control, are not for the model.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("MOCK_AGENT_")));
    const child = spawn(program, args, { stdio: ["ignore", "pipe", stderr], env });
    closeSync(stderr);
    running.set(child, folder);
    const ended = new Promise<void>((resolve) => {
      const end = () => (running.delete(child), resolve());
      child.once("error", end).once("close", end);
    });
    const stdout = child.stdout as Socket;
    const lines = createInterface({ input: stdout });
    const url = await new Promise<string | null>((resolve) => lines.once("line", resolve).once("close", () => resolve(null)));
    lines.close();
    if (url === null) {
      await ended;
      throw new NotStarted(readFileSync(messages, "utf8"));
    }
    // The runner may end without waiting for the model.
    child.unref();
    stdout.resume().unref();
    return new ModelProcess(child, url, ended);
  }

  /** Ends the process, and waits until it has ended: normally, or after this time by force. */
  async stop(timeoutMs: number): Promise<void> {
    this.#child.ref();
    this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), timeoutMs);
    await this.#ended;
    clearTimeout(force);
  }
}
