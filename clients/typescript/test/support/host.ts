// A small host: it starts an agent, sends commands, and waits for events.
import { spawn, type ChildProcess } from "node:child_process";
import type { JsonObject, MockAgent } from "agent-conform";

export class Host {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #ended: Promise<void>;
  #changed = () => {};

  constructor(agent: Pick<MockAgent, "command" | "args" | "env" | "folder">) {
    this.#child = spawn(agent.command, agent.args, { cwd: agent.folder, env: { ...process.env, ...agent.env }, stdio: ["pipe", "pipe", "ignore"] });
    let rest = "";
    this.#child.stdin?.on("error", () => {});
    this.#child.stdout?.setEncoding("utf8").on("data", (part: string) => {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      this.#lines.push(...lines);
      this.#changed();
    });
    this.#ended = new Promise((resolve) => this.#child.on("close", () => (this.#changed(), resolve())));
  }

  send(command: JsonObject): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  /** The next event of this type; those before it are dropped. Null if the agent ends. */
  async event(type: string): Promise<JsonObject | null> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) {
        const event = JSON.parse(line) as JsonObject;
        if (event["type"] === type) return event;
      } else if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        return null;
      } else {
        await new Promise<void>((resolve) => (this.#changed = resolve));
      }
    }
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}
