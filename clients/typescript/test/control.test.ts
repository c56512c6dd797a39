// What a test can do with the agents of its host.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { HostError, Refused, startMockAgent, type AgentScript, type MockAgent, type ModelScript } from "agent-conform";
import { mockAgent } from "agent-conform/node-test";
import { Host } from "./support/host.js";

const protocol = "aionrs@0.1";
const HALVES = [{ content: [{ text: "The answer is " }, { gate: "half" }, { text: "42." }] }];
const message = (id: string) => ({ type: "message", msg_id: id, input: "What is the answer?" });

test("an answer is held at a gate, and released", async (t) => {
  const agent = await mockAgent(t, { protocol, script: HALVES });
  const host = new Host(agent);
  agent.defer(() => host.close());
  await host.event("ready");
  host.send(message("m1"));
  await agent.waitForGate("half");
  assert.deepEqual((await agent.status()).gates, ["half"]);
  assert.equal((await host.event("text_delta"))?.["text"], "The answer is ");
  await agent.release("half");
  assert.equal((await host.event("text_delta"))?.["text"], "42.");
  await host.event("stream_end");
  const journal = await agent.journal();
  assert.ok(journal.some((entry) => entry.dir === "gate" && entry.gate === "half"));
  assert.deepEqual(await agent.journal({ after: journal.length }), []);
});

test("a wait holds up nothing else, and begins before the host starts its agent", async (t) => {
  const agent = await mockAgent(t, { protocol, script: HALVES });
  const held = agent.waitForGate("half");
  const asked = agent.waitForCommand({ type: "message" });
  const host = new Host(agent);
  agent.defer(() => host.close());
  await host.event("ready");
  host.send(message("m1"));
  await held;
  assert.equal((await asked).msg_id, "m1");
  await agent.release("half");
  await host.event("stream_end");
});

test("a crash is followed by the next agent, and the commands of both are kept", async (t) => {
  const agent = await mockAgent(t, { protocol, script: HALVES });
  const first = new Host(agent);
  await first.event("ready");
  first.send(message("m1"));
  await agent.waitForGate("half");
  await agent.crash({ status: 3 });
  assert.equal(await first.event("stream_end"), null);
  const second = new Host(agent);
  agent.defer(() => second.close());
  await second.event("ready");
  second.send(message("m2"));
  await (await agent.waitForAgent(2)).release("half");
  await second.event("stream_end");
  assert.deepEqual((await agent.commands()).map((command) => command.type === "message" && command.msg_id), ["m1", "m2"]);
  assert.deepEqual(agent.agents().map(({ number, isRunning }) => [number, isRunning]), [[1, false], [2, true]]);
});

test("events, bytes, faults and a new script come when the test wants them", async (t) => {
  const agent = await mockAgent(t, { protocol });
  const host = new Host(agent);
  agent.defer(() => host.close());
  await host.event("ready");
  await agent.send({ type: "info", msg_id: "m0", message: "by the test" });
  assert.equal((await host.event("info"))?.["message"], "by the test");
  await agent.sendRaw('{"type":"info","msg_id":"m0","message":"raw"}\n');
  assert.equal((await host.event("info"))?.["message"], "raw");
  await agent.reset("- text: Another one.");
  await agent.fault("two-stream-ends");
  host.send(message("m1"));
  assert.equal((await host.event("text_delta"))?.["text"], "Another one.");
  await host.event("stream_end");
  await host.event("stream_end");
  await assert.rejects(agent.fault("no-such-fault"), Refused);
});

test("the other protocols, with a built-in script, a file of their own and a fault from the start", async (t) => {
  const pi = await mockAgent(t, { protocol: "pi@0.87", script: "markdown" });
  const host = new Host(pi);
  pi.defer(() => host.close());
  host.send({ type: "prompt", id: "p1", message: "hi" });
  await host.event("agent_settled");
  assert.deepEqual((await pi.commands()).map(({ type }) => type), ["prompt"]);

  const synaps = await mockAgent(t, { protocol: "synaps@1", fault: "no-ready", mayOutlive: true });
  const silent = new Host(synaps);
  await synaps.waitForAgent();
  assert.ok(existsSync(synaps.folder));
  await synaps.close();
  assert.equal(await silent.event("ready"), null);
  assert.ok(!existsSync(synaps.folder));
});

test("a mistake of the host fails the test with clause and frame, in the session and after it", async () => {
  const agent = await startMockAgent({ protocol });
  const host = new Host(agent);
  agent.defer(() => host.close());
  await host.event("ready");
  host.send({ type: "set_mode", mode: "auto" });
  await host.event("error");
  const [early] = agent.findings();
  assert.equal(early?.rule, "aionrs/schema/>set_mode");
  assert.equal(early?.frame, '{"type":"set_mode","mode":"auto"}');
  await assert.rejects(agent.close(), (error: unknown) => {
    assert.ok(error instanceof HostError);
    assert.match(error.message, /aionrs\.mode\.shape \(section 2\.6/);
    const [finding, ...others] = error.findings;
    assert.deepEqual(others, []);
    assert.deepEqual({ ...finding, text: "", clauses: finding?.clauses.map(({ id, section }) => [id, section]) }, {
      rule: "aionrs/schema/>set_mode",
      level: "must",
      message: '`>set_mode`: `/mode` is "auto"',
      clauses: [["aionrs.command.type-field", "2"], ["aionrs.mode.shape", "2.6"]],
      at: early?.at,
      frame: '{"type":"set_mode","mode":"auto"}',
      text: "",
    });
    assert.equal(finding?.clauses[0]?.text, "Every line of the client is an object with a field type, which names the command.");
    return true;
  });
});

test("a mistake that a test expects is none, and its absence is one", async () => {
  const breaks = async (...expected: string[]) => {
    const agent = await startMockAgent({ protocol });
    const host = new Host(agent);
    agent.defer(() => host.close());
    expected.forEach((id) => agent.expectFinding(id));
    await host.event("ready");
    host.send({ type: "set_mode", mode: "auto" });
    await agent.waitForCommand({ type: "set_mode" });
    await agent.close();
  };
  await breaks("aionrs/schema/>set_mode");
  await breaks("aionrs.mode.shape");
  await assert.rejects(
    breaks("aionrs.mode.shape", "aionrs.stop.aborts"),
    /the host did not break aionrs\.stop\.aborts, which the test expects; it broke aionrs\/schema\/>set_mode, .*aionrs\.mode\.shape/,
  );
});

test("a mistake that a test allows may be made or not", async (t) => {
  const agent = await mockAgent(t, { protocol });
  const host = new Host(agent);
  agent.defer(() => host.close());
  agent.allowFinding("aionrs/schema/>set_mode");
  agent.allowFinding("aionrs.stop.aborts");
  await host.event("ready");
  host.send({ type: "set_mode", mode: "auto" });
  await host.event("error");
});

test("a clock that is stopped is advanced, and a fast one runs by itself", async (t) => {
  const script: ModelScript = [{ error: { status: 529 } }, { error: { status: 529 } }, { text: "Here I am." }];
  const agent = await mockAgent(t, { protocol: "pi@0.87", script, clock: "stopped" });
  const host = new Host(agent);
  agent.defer(() => host.close());
  host.send({ type: "prompt", id: "p1", message: "hi" });
  const first = Number((await host.event("auto_retry_start"))?.["delayMs"]);
  assert.deepEqual((await agent.status()).waits_ms, [first]);
  assert.deepEqual(await agent.advance(first), [2 * first]);
  assert.deepEqual(await agent.advance(2 * first), []);
  assert.equal((await host.event("auto_retry_end"))?.["success"], true);
  await host.event("agent_settled");

  const fast = await mockAgent(t, { protocol, script: [{ delay: "1h", text: "late" }], clock: 100_000 });
  const other = new Host(fast);
  fast.defer(() => other.close());
  await other.event("ready");
  other.send(message("m1"));
  assert.equal((await other.event("text_delta"))?.["text"], "late");
  await assert.rejects(fast.advance(1), /the clock of this agent runs by itself/);
});

test("a gate that the script does not have is refused", async (t) => {
  const agent = await mockAgent(t, { protocol, script: HALVES });
  const host = new Host(agent);
  agent.defer(() => host.close());
  await host.event("ready");
  await assert.rejects(agent.release("hlf"), (error: Error) => {
    assert.ok(error instanceof Refused);
    assert.equal(error.message, "the script has no gate `hlf`; its gates: half");
    assert.match(error.stack ?? "", /control\.test\./, "the stack has no line of the test");
    return true;
  });
});

test("a command is found when its agent has just ended", async (t) => {
  const agent = await mockAgent(t, { protocol, script: [{ text: "42." }] });
  const host = new Host(agent);
  await host.event("ready");
  host.send(message("m1"));
  await host.event("stream_end");
  await host.close();
  assert.equal((await agent.waitForCommand({ type: "message", msg_id: "m1" })).input, "What is the answer?");
  const next = agent.waitForCommand({ type: "message", msg_id: "m2" });
  const second = new Host(agent);
  agent.defer(() => second.close());
  await second.event("ready");
  second.send(message("m2"));
  await next;
  await second.event("stream_end");
});

test("an agent that cannot start says why", async () => {
  const agent = await startMockAgent({ protocol, args: ["--max-turns", "none"] });
  const host = new Host(agent);
  await assert.rejects(agent.waitForGate("half"), /the agent did not start: .*--max-turns/);
  await host.close();
  await assert.rejects(agent.close(), /the agent did not start: .*--max-turns/);
});

test("a script with a mistake is refused before a host starts the agent", async () => {
  await assert.rejects(startMockAgent({ protocol, script: "- txt: 42." }), /the agent did not start: .*script\.yaml:1:3: unknown key `txt`; did you mean `text`\?/);
  await assert.rejects(startMockAgent({ protocol, script: "no-such" }), /there is no built-in script `no-such`/);
  await assert.rejects(startMockAgent({ protocol, script: "/no/such/file.yaml" }), /the agent did not start: .*\/no\/such\/file\.yaml/);
  await assert.rejects(startMockAgent({ protocol: "pi@0.14", script: "sub-agents" }), /shows something that pi@0\.14 does not have/);
  await (await startMockAgent({ protocol, script: "- txt: 42.", mayStayUnused: true })).close();
});

test("an agent that is just being started is not missed", async () => {
  const agent = await startMockAgent({ protocol });
  const host = new Host(agent);
  const closed = agent.close();
  void host.close();
  await closed;
});

test("an agent that outlives its host, or that was never started, is a mistake", async () => {
  const outlived = await startMockAgent({ protocol, timeoutMs: 500 });
  const host = new Host(outlived);
  await host.event("ready");
  await assert.rejects(outlived.close(), /the agent 1 \(process \d+\) still runs/);
  assert.equal(await host.event("ready"), null);

  const unused = await startMockAgent({ protocol, timeoutMs: 100 });
  await assert.rejects(unused.release("half"), /no agent has started within 100 ms: does the host start `command`/);
  await assert.rejects(unused.close(), /the host has started no agent/);
  await (await startMockAgent({ mayStayUnused: true })).close();
});

/** Registers a process that is no agent with the agents of a host. It answers each request like this. */
async function registerProcess(t: TestContext, { env, folder }: MockAgent, answer: (child: ChildProcess) => string): Promise<void> {
  const child = spawn("sleep", ["60"]);
  const server = createServer((socket) => socket.once("data", () => socket.write(`${answer(child)}\n`)));
  t.after(() => (child.kill("SIGKILL"), server.close()));
  const path = join(folder, "socket");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const control = String(env["MOCK_AGENT_CONTROL"]);
  mkdirSync(control, { recursive: true });
  writeFileSync(join(control, "1.json"), JSON.stringify({ order: 1, name: "aionrs", pid: child.pid, address: `unix:${path}` }));
}

test("an agent that cannot be ended is told of, and one that refuses because it ends is not", async (t) => {
  const stubborn = await startMockAgent({ protocol, mayOutlive: true, timeoutMs: 200 });
  await registerProcess(t, stubborn, () => '{"ok":null}');
  await assert.rejects(stubborn.close(), /the agent 1 \(process \d+\) still runs/);

  const ending = await startMockAgent({ protocol, mayOutlive: true, timeoutMs: 2_000 });
  await registerProcess(t, ending, (child) => (child.kill("SIGKILL"), '{"error":"the agent ends"}'));
  await ending.close();
});

test("an own dialect is played from its folder, by an agent script", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "dialects-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "parrot/1"), { recursive: true });
  const frame = (name: string) => JSON.stringify({ $defs: { [name]: { type: "object", properties: { text: { type: "string" } } } } });
  const dialect = { name: "parrot", version: "1", title: "a parrot", discriminator: { events: "/type", commands: "/type" }, events: { word: null }, commands: { say: null } };
  writeFileSync(join(folder, "parrot/1/dialect.yaml"), JSON.stringify(dialect));
  writeFileSync(join(folder, "parrot/1/events.json"), frame("word"));
  writeFileSync(join(folder, "parrot/1/commands.json"), frame("say"));

  const script: AgentScript = { commands: [{ on: { type: "say" }, capture: { text: "/text" }, do: [{ gate: "breath" }, { send: { type: "word", text: "{text}" } }] }] };
  const wrong: AgentScript = { commands: [{ on: { type: "says" }, do: [] }] };
  await assert.rejects(startMockAgent({ protocol: "parrot@1", dialectDir: folder, script: wrong }), /unknown command of parrot@1 `says`/);
  const agent = await mockAgent(t, { protocol: "parrot@1", dialectDir: folder, script });
  const host = new Host(agent);
  agent.defer(() => host.close());
  host.send({ type: "say", text: "hi" });
  await agent.waitForGate("breath");
  await agent.release("breath");
  assert.equal((await host.event("word"))?.["text"], "hi");
  agent.expectFinding("parrot/schema/>say");
  host.send({ type: "say", text: 1 });
  await agent.waitForCommand({ type: "say", text: 1 });
});

test("an agent that listens at a port is controlled as well", async (t) => {
  const agent = await mockAgent(t, { protocol, script: HALVES });
  const { command, args, env, folder } = agent;
  const host = new Host({ command, args, folder, env: { ...env, MOCK_AGENT_CONTROL: `tcp:${env["MOCK_AGENT_CONTROL"]}` } });
  agent.defer(() => host.close());
  await host.event("ready");
  host.send(message("m1"));
  await agent.waitForGate("half");
  await agent.release("half");
  await host.event("stream_end");
});

test("a program that is not there is named", async () => {
  await assert.rejects(startMockAgent({ program: "/no/such/agent" }), /\/no\/such\/agent is not a program: name the mock agent by the option/);
  await assert.rejects(startMockAgent({ program: "no-such-agent" }), /no-such-agent is not on the PATH/);
});

