// @ts-check
// The page in the middle of an answer, held still at a gate of the script.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, prompt, shows, withHost } from "./support/host.mjs";

after(closeBrowser);

const script = `
- content: [{ text: "The answer is " }, { gate: half }, { text: "42." }]
`;

test("half an answer looks the same twice, and different after its release", (t) =>
  withHost(t, { script }, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "What is the answer?");
    await agent.waitForGate("half");
    await shows(page, "The answer is");

    const [first, second] = [await page.screenshot(), await page.screenshot()];
    assert.ok(first.equals(second), "the page changed while the agent was silent");
    assert.equal(await page.locator("#state").textContent(), "Working");

    await agent.release("half");
    await shows(page, "The answer is 42.");
    await page.locator("#state[data-state=ready]").waitFor();
    assert.ok(!first.equals(await page.screenshot()), "the page did not change");
  }));

test("two tabs have an agent each, with separate conversations", (t) =>
  withHost(t, { script }, async ({ open, agent }) => {
    const left = await open();
    await prompt(left, "left");
    const first = await agent.waitForAgent(1);
    const right = await open();
    await prompt(right, "right");
    const second = await agent.waitForAgent(2);
    assert.equal((await first.waitForCommand({ type: "message" })).input, "left");
    assert.equal((await second.waitForCommand({ type: "message" })).input, "right");

    await Promise.all([first.waitForGate("half"), second.waitForGate("half")]);
    await second.release("half");
    await shows(right, "The answer is 42.");
    assert.equal(await left.locator("#state").textContent(), "Working");
    await first.release("half");
    await shows(left, "The answer is 42.");
  }));

test("a page that is reloaded shows its conversation again", (t) =>
  withHost(t, { script }, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "What is the answer?");
    await agent.waitForGate("half");
    await page.reload();
    await shows(page, "The answer is");
    await agent.release("half");
    await shows(page, "The answer is 42.");
  }));
