// The fixtures of each runner fail a test whose host breaks the protocol, or whose app does not fit the script of its model, and pass the others.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");
const packages = createRequire(import.meta.url);
const bin = (name: string, file: string) => join(dirname(packages.resolve(`${name}/package.json`)), file);

const RUNNERS = {
  "node:test": { command: ["--test"], good: "dist-test/readme/node.js dist-test/readme/model/node.js", broken: "dist-test/broken/node.js dist-test/broken/model/node.js" },
  vitest: { command: [bin("vitest", "vitest.mjs"), "run", "--config", "test/vitest.config.ts"], good: "test/readme/vitest.spec.ts test/readme/recipes.spec.ts test/readme/model/vitest.spec.ts", broken: "test/broken/vitest.spec.ts test/broken/model/vitest.spec.ts" },
  Playwright: { command: [bin("@playwright/test", "cli.js"), "test", "--config", "test/playwright.config.ts"], good: "test/readme/playwright.spec.ts test/readme/page.spec.ts test/readme/model/page.spec.ts", broken: "test/broken/playwright.spec.ts test/broken/model/playwright.spec.ts" },
};

for (const [name, { command, good, broken }] of Object.entries(RUNNERS)) {
  const run = (file: string) => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [...command, ...file.split(" ")], { cwd: ROOT, env: { ...env, NO_COLOR: "1" }, encoding: "utf8" });
    return { status, text: stdout + stderr };
  };

  test(`${name}: a host that keeps the protocol, and an app that fits the script of its model, pass`, () => {
    const { status, text } = run(good);
    assert.equal(status, 0, text);
  });

  test(`${name}: a host that breaks the protocol fails with clause and frame, and an app that does not fit with the reason`, async () => {
    const { status, text } = run(broken);
    assert.equal(status, 1, text);
    assert.match(text, /the host broke the protocol/);
    assert.match(text, /aionrs\.mode\.shape \(section 2\.6/);
    assert.match(text, /\{"type":"set_mode","mode":"auto"\}/);
    assert.match(text, /Rerun {2}npx conform check --side host \S+session-\d+\.jsonl/);
    assert.match(text, /the app and the script of its model do not fit/);
    assert.match(text, /request 0 is refused as by the real API: 400/);
    assert.match(text, /the agent did not ask the model for reply 0 of its script/);
    const [, url = ""] = /not as expected at (http:\S+:\d+)/.exec(text) ?? [];
    await assert.rejects(fetch(url), /fetch failed/);
    if (name !== "Playwright") return;
    assert.equal(text.match(/attachment #1: session-\d+\.jsonl/g)?.length, 2, text);
    assert.equal(text.match(/attachment #1: model-journal\.jsonl/g)?.length, 2, text);
  });
}

test("the examples of the README are these tests", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const examples = [...readme.matchAll(/^```ts file=(\S+)\n(.*?)^```$/gms)];
  assert.ok(examples.length >= 3);
  for (const [, file = "", text = ""] of examples) {
    assert.ok(readFileSync(join(ROOT, file), "utf8").includes(text), `not in ${file}:\n${text}`);
  }
});
