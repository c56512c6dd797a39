// @ts-check
// What the user decides about a tool reaches the agent once, and no more than that.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { closeBrowser, prompt, shows, withHost } from "./support/host.mjs";

after(closeBrowser);

const script = `
- tool_calls: [{ id: t1, name: Write, args: { file_path: notes.txt, content: hi } }]
- text: ["Understood."]
`;

/** @param {import("agent-conform").MockAgent<"aionrs@0.1">} agent */
const decisions = async (agent) => (await agent.commands()).filter(({ type }) => type === "tool_deny" || type === "tool_approve");

test("a denial is sent once, with its reason, even if the button is clicked twice", (t) =>
  withHost(t, { script }, async ({ open, agent, folder }) => {
    const page = await open();
    await prompt(page, "Write a note");
    await page.getByLabel("Reason for a denial").fill("not in this folder");
    await page.getByRole("button", { name: "Deny" }).dblclick();
    await shows(page, "Understood.");
    assert.equal(await page.locator(".call .badge").textContent(), "Denied");

    assert.deepEqual(await decisions(agent), [{ type: "tool_deny", call_id: "t1", reason: "not in this folder" }]);
    assert.ok(!existsSync(join(folder, "notes.txt")));
  }));

test("a second page cannot answer a call again", (t) =>
  withHost(t, { script }, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "Write a note");
    await page.getByRole("button", { name: "Deny" }).waitFor();
    const answers = await page.evaluate(async () => {
      const path = `/api/conversations/${location.hash.slice(1)}/answer`;
      /** @param {string} decision */
      const post = (decision) => fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ call: "t1", decision }) });
      return (await Promise.all([post("deny"), post("approve"), post("deny")])).map(({ status }) => status);
    });
    assert.deepEqual(answers, [200, 409, 409]);
    await shows(page, "Understood.");
    assert.equal((await decisions(agent)).length, 1);
  }));

test("an approved tool runs, and its result is shown", (t) =>
  withHost(t, { script }, async ({ open, agent, folder }) => {
    const page = await open();
    await prompt(page, "Write a note");
    await page.locator('.call[data-state="asking"]').waitFor();
    await page.keyboard.press("a");
    await shows(page, "Understood.");
    assert.equal(await page.locator(".call .badge").textContent(), "Done");
    assert.ok(await page.locator("#prompt").evaluate((node) => node === document.activeElement), "the prompt has no focus");
    assert.equal(readFileSync(join(folder, "notes.txt"), "utf8"), "hi");
    assert.deepEqual(await decisions(agent), [{ type: "tool_approve", call_id: "t1", scope: "once" }]);
  }));

test("a stop while the agent asks ends the turn, and no answer is sent", (t) =>
  withHost(t, { script }, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "Write a note");
    await page.locator('.call[data-state="asking"]').waitFor();
    await page.keyboard.press("Escape");
    await shows(page, "Stopped.");
    assert.equal(await page.locator(".call .badge").textContent(), "Cancelled");
    assert.deepEqual(await decisions(agent), []);
  }));

test("a host that closes while the agent asks stops the turn first", (t) =>
  withHost(t, { script }, async ({ open, agent, close }) => {
    const page = await open();
    await prompt(page, "Write a note");
    await page.locator('.call[data-state="asking"]').waitFor();
    await close();
    assert.deepEqual((await agent.commands()).map(({ type }) => type), ["message", "stop"]);
  }));
