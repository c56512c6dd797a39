// The host of the examples: it asks an agent, and calls back with each piece of the answer.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Settings {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string;
  onText(text: string): void;
  /** What the agent says of itself, such as that it tries again. */
  onNotice?(notice: string): void;
  /** Whether a tool may run. Without it, none may. */
  approve?(tool: string): boolean;
}

interface Event {
  type: string;
  text?: string;
  message?: string;
  call_id?: string;
  tool?: { name: string };
}

/** Asks one question. Rejects if the agent ends in the middle of its answer. */
export async function ask(question: string, { command, env, cwd = ".", onText, onNotice, approve }: Settings): Promise<void> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "inherit"] });
  const send = (command: object) => child.stdin.write(`${JSON.stringify(command)}\n`);
  let answered = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as Event;
    if (event.type === "ready") send({ type: "message", msg_id: "m1", input: question });
    if (event.type === "text_delta") onText(event.text ?? "");
    if (event.type === "info") onNotice?.(event.message ?? "");
    if (event.type === "tool_request") {
      const { call_id, tool } = event;
      send(approve?.(tool?.name ?? "") ? { type: "tool_approve", call_id } : { type: "tool_deny", call_id, reason: "The user said no" });
    }
    if (event.type === "stream_end") {
      answered = true;
      child.stdin.end();
    }
  }
  if (!answered) throw new Error("the agent ended in the middle of its answer");
}
