// @ts-check
// The same page with an agent that speaks pi's RPC mode.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, prompt, shows, withHost } from "./support/host.mjs";

after(closeBrowser);

const protocol = "pi@0.87";

test("pi: half an answer is shown while the agent works", (t) =>
  withHost(t, { protocol, script: '- content: [{ thinking: "Let me see." }, { text: "The answer is " }, { gate: half }, { text: "42." }]' }, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "What is the answer?");
    await agent.waitForGate("half");
    await shows(page, "Let me see.");
    await shows(page, "The answer is");
    assert.equal(await page.locator("#state").textContent(), "Working");
    await agent.release("half");
    await shows(page, "The answer is 42.");
    await page.locator("#state[data-state=ready]").waitFor();
  }));

test("pi: a dialog before a tool is answered once, and the tool does not run", (t) =>
  withHost(
    t,
    {
      protocol,
      script: "- tool_calls: [{ name: bash, args: { command: date } }]\n- text: Understood.",
      args: ["--extension", "dialogs.ts"],
      files: { "dialogs.ts": "", "dialogs.json": '{ "tool_call": { "method": "confirm", "title": "Run it?", "message": "The tool wants to run." } }' },
    },
    async ({ open, agent }) => {
      const page = await open();
      await prompt(page, "What time is it?");
      await page.getByRole("button", { name: "Deny" }).dblclick();
      await shows(page, "Understood.");
      assert.deepEqual(await page.locator(".call .badge").allTextContents(), ["Failed", "Denied"]);
      const answers = (await agent.commands()).flatMap((command) => (command.type === "extension_ui_response" ? [command.confirmed] : []));
      assert.deepEqual(answers, [false]);
    },
  ));

test("pi: a failure of the model is shown, and a crash too", (t) =>
  withHost(t, { protocol, script: "- error: { status: 400 }\n- content: [{ text: Half }, { gate: half }]" }, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "hi");
    await page.locator(".error").waitFor();
    await prompt(page, "again");
    await agent.waitForGate("half");
    await agent.crash();
    await shows(page, "The agent ended in the middle of its answer (signal SIGKILL).");
  }));
