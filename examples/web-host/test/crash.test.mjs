// @ts-check
// An agent that ends, or never starts, is shown as such and never as an empty answer.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, prompt, shows, withHost } from "./support/host.mjs";

after(closeBrowser);

const script = `
- content: [{ text: "The answer is " }, { gate: half }, { text: "42." }]
`;

test("a crash in the middle of an answer is shown, and the agent can be started again", (t) =>
  withHost(t, { script }, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "What is the answer?");
    await agent.waitForGate("half");
    await agent.crash();
    await shows(page, "The agent ended in the middle of its answer (signal SIGKILL).");
    await shows(page, "The answer is");
    assert.equal(await page.locator("#state").textContent(), "Ended");

    await page.getByRole("button", { name: "Start the agent again" }).click();
    await page.locator("#state:not([data-state=ended])").waitFor();
    await prompt(page, "Once more");
    await (await agent.waitForAgent(2)).release("half");
    await shows(page, "The answer is 42.");
  }));

test("a crash while a tool waits for approval cancels the call", (t) =>
  withHost(t, { script: "- tool_calls: [{ name: Bash, args: { command: ls } }]" }, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "List the files");
    await page.locator('.call[data-state="asking"]').waitFor();
    await agent.crash({ status: 101 });
    await shows(page, "The agent ended in the middle of its answer (status 101).");
    assert.equal(await page.locator(".call .badge").textContent(), "Cancelled");
    assert.equal(await page.getByRole("button", { name: "Deny" }).count(), 0);
  }));

test("a program that does not exist is named", (t) =>
  withHost(t, { program: "/no/such/agent" }, async ({ open }) => {
    const page = await open();
    await page.getByText("The agent has ended (/no/such/agent does not exist).").waitFor();
    assert.ok(await page.locator("#send").isDisabled());
  }));
