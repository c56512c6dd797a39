// The types accept what the reference agent sends in every version of every dialect.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Dialects, JsonObject } from "agent-conform";
import { mockAgent } from "agent-conform/node-test";
import { Host } from "./support/host.js";

const ROOT = join(import.meta.dirname, "..");
const SCRIPTS = ["tools", "thinking", "parallel-tools", "error-auth"];

interface Session {
  args?: string[];
  prompt: JsonObject;
  until: string;
  before?: JsonObject[];
}

/** The frames of the host: the prompt, and what comes before and after it. `until` ends a turn. */
const SESSIONS: Record<keyof Dialects, Session> = {
  "aionrs@0.1": { args: ["--auto-approve"], prompt: { type: "message", msg_id: "m1", input: "hi" }, until: "stream_end" },
  "aionrs@0.2": { args: ["--auto-approve"], prompt: { type: "message", msg_id: "m1", content: "hi" }, until: "stream_end", before: [{ type: "ping" }, { type: "set_config", effort: null }] },
  "pi@0.14": { prompt: { type: "prompt", message: "hi" }, until: "agent_end" },
  "pi@0.73": {
    prompt: { type: "prompt", id: "p", message: "hi" },
    until: "agent_end",
    before: ["get_state", "get_messages", "get_session_stats", "get_commands", "cycle_model"].map((type) => ({ type, id: type })),
  },
  "pi@0.87": {
    prompt: { type: "prompt", id: "p", message: "hi" },
    until: "agent_settled",
    before: ["get_state", "get_messages", "get_entries", "get_tree", "clear_queue"].map((type) => ({ type, id: type })),
  },
  "pi@1.6": {
    prompt: { type: "prompt", id: "p", message: "hi" },
    until: "agent_settled",
    before: ["get_state", "get_messages", "get_entries", "get_tree", "clear_queue"].map((type) => ({ type, id: type })),
  },
  "synaps@1": {
    prompt: { type: "prompt", id: "p", message: "hi" },
    until: "agent_end",
    before: ["get_state", "get_messages", "get_session_stats", "get_available_models"].map((type) => ({ type, id: type })),
  },
};

for (const [protocol, { args = [], prompt, until, before = [] }] of Object.entries(SESSIONS) as [keyof Dialects, Session][]) {
  test(`${protocol}: frames of the reference agent have the types of their dialect`, async (t) => {
    const lines: string[] = [];
    for (const script of SCRIPTS) {
      const agent = await mockAgent(t, { protocol, script, args });
      const host = new Host(agent);
      agent.defer(() => host.close());
      if (!protocol.startsWith("pi@")) await host.event("ready");
      before.forEach((command) => host.send(command));
      host.send(prompt);
      await host.event(until);
      for (const { dir, frame } of await agent.journal()) if (frame) lines.push(`${dir === "agent" ? "event" : "command"}(${JSON.stringify(frame)});`);
    }
    const folder = join(ROOT, "dist-test", "frames");
    mkdirSync(folder, { recursive: true });
    const name = protocol.replace("@", "-");
    const types = `import type { Command, Event } from "../../src/types/${name}.js";\ndeclare function event<T extends Event>(event: T): void;\ndeclare function command<T extends Command>(command: T): void;\n`;
    writeFileSync(join(folder, `${name}.ts`), types + lines.join("\n"));
    const bin = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
    const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--types", "node", "--ignoreConfig"];
    const { status, stdout } = spawnSync(process.execPath, [bin, ...options, join(folder, `${name}.ts`)], { encoding: "utf8" });
    assert.ok(lines.length > 20, `${lines.length} frames`);
    assert.equal(status, 0, stdout);
  });
}
