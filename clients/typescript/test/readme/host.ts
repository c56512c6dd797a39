// The host of the examples: it asks an agent, and calls back with each piece of the answer.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Settings {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  onText(text: string): void;
}

/** Asks one question. Rejects if the agent ends in the middle of its answer. */
export async function ask(question: string, { command, env, onText }: Settings): Promise<void> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "inherit"] });
  let answered = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as { type: string; text?: string };
    if (event.type === "ready") child.stdin.write(`${JSON.stringify({ type: "message", msg_id: "m1", input: question })}\n`);
    if (event.type === "text_delta") onText(event.text ?? "");
    if (event.type === "stream_end") {
      answered = true;
      child.stdin.end();
    }
  }
  if (!answered) throw new Error("the agent ended in the middle of its answer");
}
