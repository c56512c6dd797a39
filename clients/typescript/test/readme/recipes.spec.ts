import { expect } from "vitest";
import type { MockAgent, ModelScript } from "agent-conform";
import { test } from "agent-conform/vitest";
import { ask } from "./host.js";

const halves: ModelScript = [{ content: [{ text: "The answer is " }, { gate: "half" }, { text: "42." }] }];
const writes: ModelScript = [{ tool_calls: [{ id: "t1", name: "Write", args: { file_path: "a.txt", content: "hi" } }] }, { text: "Done." }];
const limited: ModelScript = [{ error: { status: 429, headers: { "retry-after": "30" } } }, { text: "Here I am." }];

/** Asks a question, and keeps what the user sees. */
function host(agent: MockAgent<"aionrs@0.1">, approve = (_tool: string) => false) {
  const screen = { text: "", notice: "", ended: Promise.resolve() };
  const onText = (text: string) => (screen.text += text);
  const onNotice = (notice: string) => (screen.notice = notice);
  screen.ended = ask("hello", { command: [agent.command, ...agent.args], env: agent.env, cwd: agent.folder, onText, onNotice, approve });
  return screen;
}

test("half an answer is shown while the agent works", async ({ mockAgent }) => {
  const agent = await mockAgent({ protocol: "aionrs@0.1", script: halves });
  const screen = host(agent);
  await agent.waitForGate("half");
  await expect.poll(() => screen.text).toBe("The answer is ");
  await agent.release("half");
  await screen.ended;
  expect(screen.text).toBe("The answer is 42.");
});

test("the user decides about a tool", async ({ mockAgent }) => {
  const agent = await mockAgent({ protocol: "aionrs@0.1", script: writes });
  await host(agent, (tool) => tool !== "Write").ended;
  expect(await agent.waitForCommand({ type: "tool_deny" })).toMatchObject({ call_id: "t1", reason: "The user said no" });
});

test("a crash in the middle of an answer is an error", async ({ mockAgent }) => {
  const agent = await mockAgent({ protocol: "aionrs@0.1", script: halves });
  const failed = expect(host(agent).ended).rejects.toThrow("in the middle of its answer");
  await agent.waitForGate("half");
  await agent.crash();
  await failed;
});

test("a rate limit is shown, and passes", async ({ mockAgent }) => {
  const agent = await mockAgent({ protocol: "aionrs@0.1", script: limited, clock: "stopped", retries: 1 });
  const screen = host(agent);
  await expect.poll(() => screen.notice).toContain("retrying");
  await agent.advance(30_000);
  await screen.ended;
  expect(screen.text).toBe("Here I am.");
});
