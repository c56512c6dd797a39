import { expect } from "vitest";
import { test } from "agent-conform/vitest";
import { ask } from "./host.js";

const script = [{ content: [{ text: "The answer is " }, { gate: "half" }, { text: "42." }] }];

test("half an answer is shown while the agent works", async ({ mockAgent }) => {
  const agent = await mockAgent({ protocol: "aionrs@0.1", script });
  let screen = "";
  const asked = ask("What is the answer?", { command: [agent.command, ...agent.args], env: agent.env, onText: (text) => (screen += text) });

  await agent.waitForGate("half");
  await expect.poll(() => screen).toBe("The answer is ");
  await agent.release("half");
  await asked;
  expect(screen).toBe("The answer is 42.");
});

test("a crash is an error", async ({ mockAgent }) => {
  const agent = await mockAgent({ protocol: "aionrs@0.1", script });
  const asked = ask("What is the answer?", { command: [agent.command, ...agent.args], env: agent.env, onText: () => {} });
  const failed = expect(asked).rejects.toThrow("in the middle of its answer");

  await agent.waitForGate("half");
  await agent.crash();
  await failed;
});
