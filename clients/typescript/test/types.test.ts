// What the compiler knows of frames and scripts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startMockAgent, type CommandOf, type EventOf } from "agent-conform";
import type { Aionrs01Event, Aionrs02Command, ModelScript, Pi087Event } from "agent-conform/types";
import type { ReadyEvent } from "agent-conform/types/aionrs-0.1";

test("a frame is told by its type", () => {
  const textOf = (event: Aionrs01Event): string => {
    switch (event.type) {
      case "text_delta":
      case "thinking":
        return event.text;
      case "tool_request":
        return `${event.tool.name} (${event.tool.category})`;
      case "stream_end":
        // @ts-expect-error: the end of a turn has no text.
        return event.text ?? "";
      default:
        return "";
    }
  };
  assert.equal(textOf({ type: "text_delta", msg_id: "m1", text: "hi" }), "hi");
});

test("the kind of an event, and a response that failed, are told by their members", () => {
  const describe = (event: Pi087Event): string => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") return event.assistantMessageEvent.delta;
    if (event.type === "response" && event.command === "get_state") return event.success ? event.data.sessionId : event.error;
    return event.type;
  };
  assert.equal(describe({ type: "response", command: "get_state", success: false, error: "no" }), "no");
});

test("a version has what it inherits, and what it changed", () => {
  const commands: Aionrs02Command[] = [{ type: "stop" }, { type: "ping" }, { type: "message", msg_id: "m1", content: "hi" }];
  // @ts-expect-error: the text is `input` in 0.1 only.
  commands.push({ type: "message", msg_id: "m1", input: "hi" });
  const ready: EventOf<"aionrs@0.1"> = { type: "ready", version: "0.1.0", capabilities: { tool_approval: true, thinking: true, mcp: true } } satisfies ReadyEvent;
  const unknown: CommandOf<"parrot@1"> = { say: "hi" };
  assert.ok(ready && unknown);
});

test("a script and an agent are checked", async () => {
  const script: ModelScript = [{ text: "hi" }, { error: { status: 429 } }, { content: [{ text: "a" }, { gate: "half" }] }];
  const agent = await startMockAgent({ protocol: "aionrs@0.1", script, mayStayUnused: true });
  const reasons = (await agent.commands()).flatMap((command) => (command.type === "tool_deny" ? [command.reason] : []));
  assert.deepEqual(reasons, []);
  await agent.close();
  // @ts-expect-error: a reply has no such key.
  await (await startMockAgent({ script: [{ txt: "hi" }], mayStayUnused: true })).close();
});
