// What a test can do with a scripted model.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { ModelError, Refused, ScriptError, startModel, type MockModel, type ModelScript } from "agent-conform";
import { mockModel } from "agent-conform/node-test";
import { ask, refused, send } from "./support/app.js";

const question = { role: "user", content: "What is the answer?" };

/** The error at the end of a test with this model. */
async function errorOf(model: MockModel): Promise<ModelError> {
  const error: unknown = await model.close().then(() => null, (error: unknown) => error);
  assert.ok(error instanceof ModelError, String(error));
  return error;
}

test("replies are served in their order, and requests are decoded", async (t) => {
  const model = await mockModel(t, [{ text: "one" }, { text: "two" }]);
  assert.equal(await ask(model, "1?"), "one");
  assert.equal(await ask(model, "2?"), "two");
  assert.deepEqual(model.requests().map(({ number, api, messages }) => [number, api, messages[0]?.text]), [[0, "openai-chat", "1?"], [1, "openai-chat", "2?"]]);
  assert.deepEqual(model.failures(), []);
});

test("a conversation is decoded alike over each API", async (t) => {
  const model = await mockModel(t, [{ text: "a" }, { text: "b" }, { text: "c" }, { text: "d" }]);
  const schema = { type: "object", properties: { city: { type: "string" } } };
  await send(model, "anthropic", {
    model: "claude-opus-4-5",
    max_tokens: 100,
    system: [{ type: "text", text: "Be brief." }],
    tools: [{ name: "weather", input_schema: schema }],
    messages: [
      question,
      { role: "assistant", content: [{ type: "text", text: "Let me see." }, { type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "no city" }], is_error: true }] },
    ],
  });
  await send(model, "openai-chat", {
    model: "gpt-5",
    stream: true,
    tools: [{ type: "function", function: { name: "weather", parameters: schema } }],
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "What is " }, { type: "text", text: "the answer?" }] },
      { role: "assistant", content: "Let me see.", tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
      { role: "tool", tool_call_id: "c1", content: "no city" },
    ],
  });
  await send(model, "openai-responses", {
    model: "gpt-5",
    instructions: "Be brief.",
    tools: [{ type: "function", name: "weather", parameters: schema, strict: false }],
    input: [
      question,
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me see.", annotations: [] }] },
      { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Oslo"}' },
      { type: "function_call_output", call_id: "c1", output: "no city" },
    ],
  });
  const called = { functionCall: { id: "c1", name: "weather", args: { city: "Oslo" } }, thoughtSignature: "c2ln" };
  await send(model, "gemini", {
    system_instruction: { parts: { text: "Be brief." } },
    tools: [{ functionDeclarations: [{ name: "weather", parameters: schema }] }],
    contents: [
      { parts: { text: "What is the answer?" } },
      { role: "model", parts: [{ text: "hm", thought: true }, { text: "Let me see." }, called] },
      { role: "user", parts: [{ functionResponse: { id: "c1", name: "weather", response: { error: "no city" } } }] },
    ],
  });
  const [anthropic, chat, responses, gemini, ...more] = model.requests();
  assert.ok(anthropic && chat && responses && gemini);
  assert.deepEqual(more, []);
  for (const { system, tools } of [anthropic, chat, responses, gemini]) assert.deepEqual([system, tools], ["Be brief.", ["weather"]]);
  const asked = { role: "user", text: "What is the answer?", toolCalls: [], toolResults: [] };
  const calls = [{ id: "c1", name: "weather", args: { city: "Oslo" } }];
  const said = { role: "assistant", text: "Let me see.", toolCalls: calls, toolResults: [] };
  const returned = { role: "tool", text: "", toolCalls: [], toolResults: [{ call: "c1", text: "no city", isError: false }] };
  const failed = { ...returned, role: "user", toolResults: [{ call: "c1", text: "no city", isError: true }] };
  assert.deepEqual(anthropic.messages, [asked, said, failed]);
  assert.deepEqual(gemini.messages, [asked, said, failed]);
  assert.deepEqual([gemini.api, gemini.model, gemini.stream], ["gemini", "gemini-3-pro", true]);
  assert.deepEqual(chat.messages, [asked, said, returned]);
  assert.deepEqual(responses.messages, [asked, { ...said, toolCalls: [] }, { ...said, text: "" }, returned]);
  assert.deepEqual([chat.stream, responses.stream, chat.model, anthropic.body["max_tokens"]], [true, false, "gpt-5", 100]);
});

test("a text is an input, and arguments that are no JSON are a text", async (t) => {
  const model = await mockModel(t, [{ text: "a" }, { text: "b" }]);
  await send(model, "openai-responses", { model: "gpt-5", input: "hi" });
  await send(model, "openai-responses", {
    model: "gpt-5",
    input: [{ type: "custom_tool_call", call_id: "c1", name: "shell", input: "ls -l" }, { type: "custom_tool_call_output", call_id: "c1", output: "a.txt" }],
    tools: [{ type: "custom", name: "shell" }],
  });
  const [first, second] = model.requests();
  assert.deepEqual(first?.messages, [{ role: "user", text: "hi", toolCalls: [], toolResults: [] }]);
  assert.deepEqual(second?.messages[0]?.toolCalls, [{ id: "c1", name: "shell", args: "ls -l" }]);
  assert.deepEqual(second?.tools, ["shell"]);
});

test("an answer is held at a gate, and released", async (t) => {
  const model = await mockModel(t, [{ content: [{ text: "The answer is " }, { gate: "half" }, { text: "42." }] }]);
  const asked = model.waitForRequest({ messages: [{ content: "hi" }] });
  let answer = "";
  const answered = ask(model, "hi").then((text) => (answer = text));
  assert.equal((await asked).messages[0]?.text, "hi");
  await model.waitForGate("half");
  assert.equal(answer, "");
  await assert.rejects(model.release("hlf"), (error: Error) => error instanceof Refused && error.message === "the script has no gate `hlf`; its gates: half");
  await model.release("half");
  await answered;
  assert.equal(answer, "The answer is 42.");
});

test("a model ends while it holds an answer", async () => {
  const model = await startModel([{ gate: "held", text: "42." }]);
  const broken = assert.rejects(ask(model, "hi"));
  await model.waitForGate("held");
  await model.close();
  await broken;
  await assert.rejects(fetch(model.url));
  assert.equal(model.requests().length, 1);
  await assert.rejects(model.release("held"), /the model is closed/);
});

test("a reply that is not asked for fails the test, with the reply", async () => {
  const model = await startModel([{ text: "one" }, { text: "two" }, { text: "three", repeat: 2 }]);
  assert.equal(await ask(model, "hi"), "one");
  const { message, failures } = await errorOf(model);
  assert.match(message, /^the app and the script of its model do not fit\n\nthe agent did not ask the model for reply 1 of its script; .*\n {2}reply 1: \{"text":"two"\}/);
  assert.deepEqual(failures.map(({ kind, request, reply, expected }) => [kind, request, reply, expected]), [["unused", null, 1, "1 request"], ["unused", null, 2, "2 requests"]]);
  assert.deepEqual(model.failures(), failures);
});

test("an app that asks another model is told of the variables", async () => {
  const { message } = await errorOf(await startModel([{ text: "one" }]));
  assert.match(message, /no request has come: does the app use the variables of `env`\?/);
});

test("a request that the real API would refuse fails the test, with the reason", async () => {
  const model = await startModel([{ text: "one" }]);
  await refused(model);
  assert.deepEqual(model.failures().map(({ kind, request }) => [kind, request]), [["refused", 0]]);
  assert.equal(await ask(model, "hi"), "one");
  const { message } = await errorOf(model);
  assert.match(message, /request 0 is refused as by the real API: 400 .*messages.*\n {2}request 0: POST \/v1\/chat\/completions \{"model":"gpt-5","messages":\[\]\}/);

  const keyless = async (model: MockModel) => (await fetch(`${model.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify({ model: "m", messages: [question] }) })).status;
  const strict = await startModel([]);
  assert.equal(await keyless(strict), 401);
  assert.match((await errorOf(strict)).message, /request 0 is refused as by the real API: 401/);
  const open = await startModel([{ text: "one" }], { keyless: true });
  assert.equal(await keyless(open), 200);
  await open.close();
  const lenient = await startModel([{ text: "one" }], { lenient: true });
  await refused(lenient);
  await lenient.close();
});

test("a request without a reply, and one that is not as its reply expects, fail the test", async () => {
  const model = await startModel([{ expect_request: { contains: "Oslo" }, text: "one" }]);
  await ask(model, "Bergen");
  await ask(model, "more");
  const { failures, message } = await errorOf(model);
  assert.deepEqual(failures.map(({ kind, request, reply }) => [kind, request, reply]), [["expectation", 0, 0], ["ran dry", 1, null]]);
  assert.match(message, /"Oslo"/);
  assert.match(message, /request 1 came when the model's script had no reply left \(1 in all\)/);
});

test("a path that no API has fails the test, and a member without effect does not", async () => {
  const model = await startModel([{ text: "one" }]);
  await send(model, "openai-chat", { model: "gpt-5", messages: [question], n: 2 });
  assert.deepEqual(model.failures().map(({ kind }) => kind), ["not served"]);
  await model.close();

  const wrong = await startModel([]);
  await fetch(`${wrong.url}/chat/completions`, { method: "POST", body: "{}" });
  assert.match((await errorOf(wrong)).message, /conform does not serve POST \/chat\/completions/);
});

test("a failure that a test allows does not fail it", async (t) => {
  const model = await mockModel(t, [{ text: "one" }]);
  model.allowFailure("unused");
  model.allowFailure("refused");
  await refused(model);
});

test("a script with a mistake is refused at once, with the place", async () => {
  const refusal = async (script: ModelScript | string) => {
    const error: unknown = await startModel(script).then((model) => model.close(), (error: unknown) => error);
    assert.ok(error instanceof ScriptError, String(error));
    return error.message;
  };
  // @ts-expect-error: a reply has no such key.
  const typo = await refusal([{ text: "one" }, { txt: "two" }]);
  assert.match(typo, /^the script of the model cannot be played\n\nerror: unknown key `txt`; did you mean `text`\?.*\n --> reply 1 of the script\n {2}\|\n {2}\| \{"txt":"two"\}\n/);
  assert.match(await refusal("- text: one\n- txt: two"), /--> line 2, column 3 of the script\n {2}\|\n2 \| - txt: two\n/);
  assert.match(await refusal("no-such"), /there is no built-in script `no-such`/);
  assert.match(await refusal("/no/such/script.yaml"), /\/no\/such\/script\.yaml: cannot be read/);
  await assert.rejects(startModel([], { pace: "fast" }), (error: Error) => !(error instanceof ScriptError) && /^the model did not start: error: invalid value 'fast' for '--pace/.test(error.message));
  await assert.rejects(startModel([], { program: "/no/such/conform" }), /no\/such\/conform is not a program: name conform by the option `program` or by CONFORM/);
});

test("a new script is played from the next request on", async (t) => {
  const model = await mockModel(t, "- text: one\n- text: two");
  assert.equal(await ask(model, "1?"), "one");
  // @ts-expect-error: a reply has no such key.
  await assert.rejects(model.reset([{ txt: "three" }]), /unknown key `txt`[^]*--> reply 0 of the script/);
  await model.reset([{ text: "three" }]);
  assert.equal(await ask(model, "2?"), "three");
});

test("an app is ended before its requests are judged", async () => {
  const model = await startModel([{ text: "one" }]);
  model.defer(() => ask(model, "the last one"));
  await model.close();
  await model.close();
  assert.equal(model.requests().length, 1);
});

test("a model that a test forgets ends with the runner, which does not wait for it", async () => {
  const program = `import { startModel } from "agent-conform"; console.log((await startModel([])).url);`;
  const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8", timeout: 20_000 });
  assert.equal(status, 0);
  await assert.rejects(fetch(stdout.trim()));
});
