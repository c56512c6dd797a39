// Runs Google's SDK for JavaScript against a running provider that serves gemini_check.yaml, and checks what it parses.
//
// Usage: gemini_check.mjs BASE_URL     (CI_NPM is the folder in which `@google/genai` is installed)
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const folder = process.env.CI_NPM ?? process.cwd();
const { GoogleGenAI } = createRequire(`${folder}/`)("@google/genai");
const { version } = JSON.parse(readFileSync(`${folder}/node_modules/@google/genai/package.json`, "utf8"));

const model = "gemini-3-pro";
const { models } = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: process.argv[2] } });
const generate = (contents = "hello", config = {}) => models.generateContent({ model, contents, config });
const stream = async (contents = "hello", config = {}) => {
  const chunks = [];
  for await (const chunk of await models.generateContentStream({ model, contents, config })) chunks.push(chunk);
  return chunks;
};
const textOf = (chunks) => chunks.map(({ text }) => text).join("");

// A stream with thinking and calls, and their results.
const asked = [{ role: "user", parts: [{ text: "hello" }] }];
const schema = { type: "object", properties: { path: { type: "string" } } };
const tools = [{ functionDeclarations: [{ name: "Read", parametersJsonSchema: schema }, { name: "Write" }] }];
const chunks = await stream(asked, { tools, thinkingConfig: { includeThoughts: true } });
const parts = chunks.flatMap(({ candidates }) => candidates[0].content.parts);
assert.equal(parts.filter(({ thought }) => thought).map(({ text }) => text).join(""), "Let me think.");
assert.equal(parts.filter(({ thought }) => !thought).map(({ text }) => text ?? "").join(""), "Hello ü");
const [read, write] = parts.filter(({ functionCall }) => functionCall);
assert.deepEqual([read.functionCall.args, write.functionCall.args, read.thoughtSignature], [{ path: "a" }, {}, "c2lnLTE="]);
const { candidates, usageMetadata } = chunks.at(-1);
assert.deepEqual([candidates[0].finishReason, usageMetadata.thoughtsTokenCount, usageMetadata.totalTokenCount], ["STOP", 2, 14]);
const results = [
  { functionResponse: { id: "c1", name: "Read", response: { error: "gone" } } },
  { functionResponse: { id: write.functionCall.id, name: "Write", response: { output: "ok" } } },
];
const answered = [...asked, { role: "model", parts }, { role: "user", parts: results }];
assert.equal((await generate(answered, { tools })).text, "Done.");
assert.equal((await generate()).text, "whole");

// Errors and cuts.
for (const status of [429, 500]) await assert.rejects(generate(), { name: "ApiError", status });
// The SDK says so if the error comes together with the event before: https://github.com/googleapis/js-genai/issues/461
await assert.rejects(stream(), ({ status, message }) => status === 503 || message === "Incomplete JSON segment at the end");
await assert.rejects(stream());
const ended = await stream();
assert.deepEqual([textOf(ended), ended.at(-1).candidates[0].finishReason], ["part", undefined]);
assert.equal(textOf(await stream()), "xy");
assert.equal(textOf(await stream()), "trickle ü");

// What takes no reply.
const names = [];
for await (const { name } of await models.list()) names.push(name);
assert.deepEqual(names, ["models/mock-model", "models/mock-model-mini"]);
assert.equal((await models.get({ model: "other" })).name, "models/other");
assert.ok((await models.countTokens({ model, contents: "hello" })).totalTokens > 0);
const { embeddings } = await models.embedContent({ model: "gemini-embedding-001", contents: ["x", "y"], config: { outputDimensionality: 4 } });
assert.deepEqual(embeddings.map(({ values }) => values.length), [4, 4]);
await assert.rejects(generate([{ role: "user", parts: results }]), /function response turn comes immediately after a function call turn/);
console.log(`ok: @google/genai ${version}`);
