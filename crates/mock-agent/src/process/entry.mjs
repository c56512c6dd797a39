#!/usr/bin/env node
// Starts the reference agent of conform in place of the real agent, for hosts that run `node PATH`.
import { spawn } from "node:child_process";

const agent = spawn({program}, process.argv.slice(2), {
  stdio: "inherit",
  env: { ...process.env, MOCK_AGENT_ENDS_WITH_PARENT: "1" },
});
const signals = ["SIGTERM", "SIGINT", "SIGHUP"];
for (const signal of signals) process.on(signal, () => agent.kill(signal));
agent.on("error", (error) => {
  console.error(`mock-agent: ${error.message}`);
  process.exit(1);
});
agent.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  for (const name of signals) process.removeAllListeners(name);
  process.kill(process.pid, signal);
});
