// @ts-check
// A host whose agent gets no script: a marker in the prompt says what the agent does in that turn.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, prompt, shows, withHost } from "./support/host.mjs";

after(closeBrowser);

test("a marker in the prompt picks a built-in script for its turn", (t) =>
  withHost(t, {}, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "@mock script=approval");
    await page.getByRole("button", { name: "Deny" }).click();
    await prompt(page, "and now?");
    await shows(page, "You said: and now?");
    assert.equal(await page.locator(".call .badge").textContent(), "Denied");
    const types = (await agent.commands()).map(({ type }) => type);
    assert.deepEqual(types, ["message", "tool_deny", "message"]);
  }));

test("a marker plays a fault, and holds the answer at a gate", (t) =>
  withHost(t, {}, async ({ open, agent }) => {
    const page = await open();
    await prompt(page, "@mock gate=half fault=text-long-after-end one two three four");
    await agent.waitForGate("half");
    await shows(page, "You said");
    assert.equal(await page.locator("#state").textContent(), "Working");
    await agent.release("half");
    await shows(page, "three four");
    await page.locator(".late").waitFor();
  }));

test("failures of the model from the built-in scripts are shown, and the next prompt is answered", (t) =>
  withHost(t, {}, async ({ open }) => {
    const page = await open();
    for (const script of ["error-auth", "context-overflow"]) {
      await prompt(page, `@mock script=${script}`);
      await page.locator(".turn").last().locator(".error").waitFor();
      await prompt(page, "Are you there?");
      await page.locator(".turn").last().locator(".text").waitFor();
    }
  }));
