// From Node 24 on, `readline` takes U+2028 for the end of a line. A host that reads with it loses a record in which the agent sends one
// raw, as pi does; a host that splits at "\n" gets it: `node torn_record.mjs MOCK_AGENT`. Ends with 1 if that is not so.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const TEXT = "one\u2028two";
const AGENTS = {
  pi: { args: ["--mode", "rpc"], prompt: { id: "1", type: "prompt", message: "hello" }, text: (event) => event.assistantMessageEvent?.delta },
  "aionrs with the fault raw-line-separator": {
    args: ["--json-stream", "--fault", "raw-line-separator"],
    prompt: { type: "message", msg_id: "m1", input: "hello" },
    text: (event) => (event.type === "text_delta" ? event.text : undefined),
  },
};

/** The lines of a stream, as Node's readline sees them. */
const byReadline = async (stream) => {
  const lines = [];
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) lines.push(line);
  return lines;
};

/** The lines of a stream that end with "\n". */
const byNewline = async (stream) => {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString().split("\n").slice(0, -1);
};

const parsed = (line) => {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
};

const folder = mkdtempSync(join(tmpdir(), "torn-record-"));
const script = join(folder, "script.yaml");
writeFileSync(script, JSON.stringify([{ text: [TEXT] }]));

/** Plays one turn. Returns the texts that the host gets, and the lines that are no JSON. */
const play = async ({ args, prompt, text }, read) => {
  const agent = spawn(resolve(process.argv[2]), [...args, "--script", script], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
  const exit = once(agent, "exit");
  agent.stdin.end(`${JSON.stringify(prompt)}\n`);
  const lines = await read(agent.stdout);
  await exit;
  return { texts: lines.flatMap(parsed).map(text).filter(Boolean), torn: lines.filter((line) => parsed(line).length === 0) };
};

let failures = 0;
const check = (what, passed, detail) => {
  console.log(`${passed ? "ok" : "FAILED"}: ${what}: ${detail}`);
  if (!passed) failures += 1;
};
for (const [name, agent] of Object.entries(AGENTS)) {
  const [torn, whole] = [await play(agent, byReadline), await play(agent, byNewline)];
  const first = JSON.stringify(torn.torn[0] ?? null);
  check(`${name}, readline tears the record`, torn.torn.length >= 2 && !torn.texts.includes(TEXT), `${torn.torn.length} lines are no JSON, first ${first}`);
  check(`${name}, a reader of "\\n" gets it`, whole.torn.length === 0 && whole.texts.join("").includes(TEXT), JSON.stringify(whole.texts));
}
rmSync(folder, { recursive: true, force: true });
process.exit(failures === 0 ? 0 : 1);
