// The SDK of MCP, @modelcontextprotocol/sdk, drives the scripted server of `conform mcp`: tools, results, errors, silence, death.
//
// Usage: mcp_clients.mjs CONFORM SCRIPT
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [program, script] = process.argv.slice(2);
const require = createRequire(join(process.env.CI_NPM, "package.json"));
const load = (path) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)).href);
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");

/** A client, and the connection to a server, which is not open yet. */
const client = (server) => {
  const transport = new StdioClientTransport({ command: program, args: ["mcp", script, "--server", server] });
  return { client: new Client({ name: "mcp-clients", version: "1" }), transport };
};

const birds = client("birds");
await birds.client.connect(birds.transport);
assert.equal(birds.client.getServerVersion().name, "birds");
await birds.client.ping();
const { tools } = await birds.client.listTools();
assert.deepEqual(tools.map((tool) => tool.name), ["count", "look", "fall", "lost", "sleep", "late", "die"]);
const call = (name, args = {}, options = {}) => birds.client.callTool({ name, arguments: args }, undefined, options);
assert.equal((await call("count", { where: "the mill pond" })).content[0].text, "seven herons");
assert.deepEqual((await call("look")).content.map((part) => part.type), ["image", "text"]);
assert.equal((await call("fall")).isError, true);
await assert.rejects(call("lost"), /gone/);
await assert.rejects(call("swim"), /no tool/);
assert.equal((await call("late")).content[0].text, "at last");
await assert.rejects(call("sleep", {}, { timeout: 300 }), /timed out/i);
const closed = new Promise((resolve) => (birds.client.onclose = resolve));
await assert.rejects(call("die"), /closed/i);
await closed;

const slow = client("slow");
const began = performance.now();
await slow.client.connect(slow.transport);
assert.ok(performance.now() - began > 300);
await slow.client.close();

const mute = client("mute");
await assert.rejects(mute.client.connect(mute.transport, { timeout: 300 }), /timed out/i);
await mute.client.close();
const gone = client("gone");
await assert.rejects(gone.client.connect(gone.transport), /closed|EPIPE/i);
console.log("the SDK of MCP: clean");
