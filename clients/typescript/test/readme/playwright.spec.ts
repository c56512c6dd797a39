import { expect, test } from "agent-conform/playwright";
import { ask } from "./host.js";

test("the answer is shown", async ({ mockAgent }) => {
  const agent = await mockAgent({ protocol: "aionrs@0.1", script: [{ text: "42." }] });
  let screen = "";
  await ask("What is the answer?", { command: [agent.command, ...agent.args], env: agent.env, onText: (text) => (screen += text) });
  expect(screen).toBe("42.");
});
