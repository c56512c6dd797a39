import assert from "node:assert/strict";
import { test } from "node:test";
import { mockAgent } from "agent-conform/node-test";
import { ask } from "./host.js";

test("the answer is shown", async (t) => {
  const agent = await mockAgent(t, { protocol: "aionrs@0.1", script: [{ text: "42." }] });
  let screen = "";
  await ask("What is the answer?", { command: [agent.command, ...agent.args], env: agent.env, onText: (text) => (screen += text) });
  assert.equal(screen, "42.");
});
