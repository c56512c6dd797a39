// The SDK of the protocol, @agentclientprotocol/sdk, drives mock-agent: a turn, a permission, a denial, a cancel, a load.
//
// Usage: acp_clients.mjs MOCK_AGENT FOLDER SCRIPT
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [program, folder, script] = process.argv.slice(2);
const require = createRequire(join(process.env.CI_NPM, "package.json"));
const acp = await import(pathToFileURL(require.resolve("@agentclientprotocol/sdk")).href);
const { agent, client: side } = acp.methods;

/** Connects to a new agent, and has `work` use it. `choose` is the kind of the option that is chosen. */
async function connected(choose, work) {
  const child = spawn(program, ["--acp", "--script", script], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const updates = [];
  const app = acp
    .client({ name: "acp-clients" })
    .onRequest(side.session.requestPermission, async ({ params }) => {
      const option = params.options.find((one) => one.kind === choose);
      if (option === undefined) await new Promise(() => {});
      return { outcome: { outcome: "selected", optionId: option.optionId } };
    })
    .onNotification(side.session.update, ({ params }) => void updates.push(params.update));
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  await app.connectWith(stream, async (context) => {
    await context.request(agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: {},
      clientInfo: { name: "acp-clients", version: "1" },
    });
    await work(context, updates);
  });
  child.stdin.end();
}

const session = { cwd: folder, mcpServers: [] };
const prompt = (sessionId, text) => ({ sessionId, prompt: [{ type: "text", text }] });
const kinds = (updates) => updates.map((update) => update.sessionUpdate);
let saved;

await connected("allow_once", async (context, updates) => {
  const { sessionId } = await context.request(agent.session.new, session);
  const { stopReason } = await context.request(agent.session.prompt, prompt(sessionId, "go"));
  assert.equal(stopReason, "end_turn");
  assert.ok(kinds(updates).includes("tool_call") && kinds(updates).includes("agent_message_chunk"));
  assert.ok(existsSync(join(folder, "ran")));
  saved = sessionId;
});
await connected("reject_once", async (context, updates) => {
  const { sessionId } = await context.request(agent.session.new, session);
  await context.request(agent.session.prompt, prompt(sessionId, "go"));
  assert.ok(updates.some((update) => update.status === "failed"));
});
await connected("none", async (context, updates) => {
  const { sessionId } = await context.request(agent.session.new, session);
  const answer = context.request(agent.session.prompt, prompt(sessionId, "go"));
  while (!kinds(updates).includes("tool_call")) await new Promise((resolve) => setTimeout(resolve, 10));
  await context.notify(agent.session.cancel, { sessionId });
  assert.equal((await answer).stopReason, "cancelled");
});
await connected("none", async (context, updates) => {
  await context.request(agent.session.load, { ...session, sessionId: saved });
  assert.deepEqual(kinds(updates).slice(0, 3), ["user_message_chunk", "tool_call", "agent_message_chunk"]);
});
console.log("the SDK of the protocol: clean");
process.exit(0);
