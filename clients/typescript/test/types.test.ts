// What the compiler knows of frames and scripts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startMockAgent, type JsonObject, type CommandOf, type EventOf } from "agent-conform";
import type { Aionrs01Event, Aionrs02Command, ModelScript, Pi087Event, Synaps1Event } from "agent-conform/types";
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

test("a response whose body the specification leaves open has the members that hosts know", () => {
  const modelOf = (event: Synaps1Event): string | undefined => (event.type === "response" ? event.model : undefined);
  assert.equal(modelOf({ type: "response", id: "s", command: "get_state", streaming: false, model: "m", more: 1 }), "m");
  // @ts-expect-error: it is true or false.
  assert.equal(modelOf({ type: "response", id: "s", command: "get_state", streaming: "no" }), undefined);
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

test("a protocol is a built-in one, or an own one of a folder", async () => {
  const mayStayUnused = true;
  // @ts-expect-error: there is no such version.
  await (await startMockAgent({ protocol: "aionrs@0.3", mayStayUnused })).close();
  // @ts-expect-error: nor such a name.
  await (await startMockAgent({ protocol: "parrot", mayStayUnused })).close();
  await (await startMockAgent({ protocol: "aionrs", mayStayUnused })).close();
  await (await startMockAgent({ protocol: "parrot@1", dialectDir: ".", mayStayUnused })).close();
});

test("a matcher has the members of the commands that it looks for", async () => {
  const agent = await startMockAgent({ protocol: "aionrs@0.1", mayStayUnused: true });
  const own = await startMockAgent({ protocol: "parrot@1", dialectDir: ".", mayStayUnused: true });
  const unchecked: JsonObject = { type: "tool_deny", rason: "no" };
  const waits = () => [
    // @ts-expect-error: it is called `call_id`.
    agent.waitForCommand({ type: "tool_deny", callid: "t1" }),
    // @ts-expect-error: a prompt has no call.
    agent.waitForCommand({ type: "message", call_id: "t1" }),
    // @ts-expect-error: no command is called so.
    agent.waitForCommand({ type: "tool_denied" }),
    agent.waitForCommand({ type: "tool_deny", call_id: { $type: "string" } }),
    agent.waitForCommand({ msg_id: "m1" }),
    agent.waitForCommand({ type: "set_mode", mode: "auto" }),
    agent.waitForCommand(unchecked as {}),
    own.waitForCommand({ type: "say", text: "hi" }),
  ];
  assert.ok(waits);
  await agent.close();
  await own.close();
});
