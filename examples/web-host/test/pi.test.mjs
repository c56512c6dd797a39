// The same page with an agent that speaks pi's RPC mode.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, prompt, shows, withHost } from "./support/host.mjs";

after(closeBrowser);

const protocol = "pi";

test("pi: half an answer is shown while the agent works", () =>
  withHost({ protocol, script: '- content: [{ thinking: "Let me see." }, { text: "The answer is " }, { gate: half }, { text: "42." }]' }, async ({ open, agents }) => {
    const page = await open();
    await prompt(page, "What is the answer?");
    const agent = await agents.agent();
    await agent.waitGate("half");
    await shows(page, "Let me see.");
    await shows(page, "The answer is");
    assert.equal(await page.locator("#state").textContent(), "Working");
    await agent.release("half");
    await shows(page, "The answer is 42.");
    await page.locator("#state[data-state=ready]").waitFor();
  }));

test("pi: a dialog before a tool is answered once, and the tool does not run", () =>
  withHost(
    {
      protocol,
      script: "- tool_calls: [{ name: bash, args: { command: date } }]\n- text: Understood.",
      args: ["--extension", "dialogs.ts"],
      files: { "dialogs.ts": "", "dialogs.json": '{ "tool_call": { "method": "confirm", "title": "Run it?", "message": "The tool wants to run." } }' },
    },
    async ({ open, agents }) => {
      const page = await open();
      await prompt(page, "What time is it?");
      await page.getByRole("button", { name: "Deny" }).dblclick();
      await shows(page, "Understood.");
      assert.deepEqual(await page.locator(".call .badge").allTextContents(), ["Failed", "Denied"]);
      const answers = (await (await agents.agent()).commands()).filter(({ type }) => type === "extension_ui_response");
      assert.deepEqual(answers.map(({ confirmed }) => confirmed), [false]);
    },
  ));

test("pi: a failure of the model is shown, and a crash too", () =>
  withHost({ protocol, script: "- error: { status: 400 }\n- content: [{ text: Half }, { gate: half }]" }, async ({ open, agents }) => {
    const page = await open();
    await prompt(page, "hi");
    await page.locator(".error").waitFor();
    await prompt(page, "again");
    const agent = await agents.agent();
    await agent.waitGate("half");
    await agent.crash();
    await shows(page, "The agent ended in the middle of its answer (signal SIGKILL).");
  }));
