// @ts-check
// Defects of agents, one after the other, and what the page makes of each.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, prompt, shows, withHost } from "./support/host.mjs";

after(closeBrowser);

/** Only in the tests of silence: everything else is awaited, however slow the machine is. */
const IMPATIENT = { silence: 300 };

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page */
const turnEnds = (page) => page.locator("#state[data-state=ready]").waitFor();
/** @param {Page} page @param {string} text */
const logged = async (page, text) => {
  await page.locator("#log-button").click();
  await page.locator("#log").getByText(text).first().waitFor();
};

/** @type {Record<string, { shows: string, script?: string, timeouts?: Record<string, number>, check: (page: Page) => Promise<void> }>} */
const FAULTS = {
  "no-stream-end": {
    shows: "an agent that never ends its turn gets the note that there is no answer, and can be stopped",
    timeouts: { ...IMPATIENT, stop: 300 },
    check: async (page) => {
      await shows(page, "No answer for 0.3 s.");
      await shows(page, "You said: hi");
      await page.getByRole("button", { name: "Stop" }).click();
      await shows(page, "The agent did not stop and was killed.");
    },
  },
  "text-long-after-end": {
    shows: "text after the end of its turn is marked as late",
    check: async (page) => {
      assert.equal(await page.locator(".late").textContent(), "late");
      await turnEnds(page);
    },
  },
  "two-stream-ends": { shows: "a second end of a turn changes nothing", check: turnEnds },
  "raw-line-separator": {
    shows: "a raw U+2028 in a text does not tear the line",
    check: async (page) => {
      await turnEnds(page);
      assert.match(await page.locator(".text").innerText(), /\u2028/);
      assert.equal(await page.locator("#log li.problem").count(), 0);
    },
  },
  "byte-by-byte": { shows: "an event that arrives byte by byte is complete", check: (page) => shows(page, "You said: hi") },
  "log-line-on-stdout": { shows: "a line that is not JSON goes to the log", check: (page) => logged(page, "a line is not JSON") },
  "invalid-utf8": { shows: "a line that is not UTF-8 goes to the log", check: (page) => logged(page, "a line is not UTF-8") },
  "no-type": { shows: "an event without a type goes to the log", check: (page) => logged(page, "unknown type") },
  "two-tool-requests": {
    shows: "a call that is announced twice is answered once",
    script: "- tool_calls: [{ name: Bash, args: { command: ls } }]\n- text: Understood.",
    check: async (page) => {
      await page.getByRole("button", { name: "Deny" }).click();
      await shows(page, "Understood.");
      assert.equal(await page.locator(".call").count(), 1);
      await logged(page, "again");
    },
  },
  "half-a-line": {
    shows: "an agent that ends in the middle of a line has crashed",
    check: async (page) => {
      await shows(page, "The agent ended in the middle of its answer");
      await logged(page, "the last line is not complete");
    },
  },
};

for (const [fault, { shows, script, timeouts, check }] of Object.entries(FAULTS)) {
  test(`${fault}: ${shows}`, (t) =>
    withHost(t, { fault, script, timeouts }, async ({ open }) => {
      const page = await open();
      await prompt(page, "hi");
      await check(page);
    }));
}

test("late events of a turn do not touch the next one", (t) => {
  const script = '- text: One.\n- content: [{ text: "Two" }, { gate: half }, { text: ", whole." }]';
  return withHost(t, { script }, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "first");
    const { msg_id } = await agent.waitForCommand({ type: "message" });
    await prompt(page, "second");
    await agent.waitForGate("half");
    await agent.send({ type: "stream_end", msg_id });
    await agent.send({ type: "text_delta", msg_id, text: "Too late." });
    await page.locator(".turn").first().getByText("Too late.").waitFor();
    assert.equal(await page.locator("#state").textContent(), "Working");
    await agent.release("half");
    await shows(page, "Two, whole.");
  });
});

test("an empty turn is not a success", (t) =>
  withHost(t, { script: "- text: lost", fault: "text-is-lost" }, async ({ open }) => {
    const page = await open();
    await prompt(page, "hi");
    await shows(page, "The agent ended its turn without an answer.");
  }));

test("a failure of the model is shown, and the next prompt is answered", (t) =>
  withHost(t, { script: "- error: { status: 400 }\n- text: Here I am." }, async ({ open }) => {
    const page = await open();
    await prompt(page, "hi");
    await page.locator(".error").waitFor();
    await prompt(page, "Are you there?");
    await shows(page, "Here I am.");
  }));
