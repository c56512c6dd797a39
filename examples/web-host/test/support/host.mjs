// @ts-check
// Starts the host and a browser for a test, and judges the host at its end.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mockAgent } from "agent-conform/node-test";
import { chromium } from "playwright-core";
import { createHost } from "../../src/http.mjs";
import { PROTOCOLS } from "../../src/protocols/index.mjs";

/** Where Debian has the browser. */
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** @typedef {import("playwright-core").Page} Page */

/**
 * `args`: more arguments of the agent. `files`: of its workspace, by name. `program`: another program than the mock agent.
 *
 * @template {import("agent-conform").BuiltInProtocol} P
 * @typedef {Pick<import("agent-conform").MockAgentOptions<P>, "protocol" | "script" | "fault"> & {
 *   args?: string[], files?: Record<string, string>, program?: string, timeouts?: Record<string, number>,
 * }} Settings
 */

/**
 * Runs a test with a host whose agents are mock agents. At its end, the host must have ended its agents and kept the protocol.
 *
 * @template {import("agent-conform").BuiltInProtocol} [P="aionrs@0.1"]
 * @param {import("node:test").TestContext} t
 * @param {Settings<P>} settings
 * @param {(host: { open: () => Promise<Page>, agent: import("agent-conform").MockAgent<P>, folder: string, close: () => Promise<void> }) => Promise<void>} test
 */
export async function withHost(t, { protocol = /** @type {P} */ ("aionrs@0.1"), script, fault, args = [], files = {}, program, timeouts }, test) {
  const agent = await mockAgent(t, { protocol, script, fault, mayStayUnused: program !== undefined, timeoutMs: 20_000 });
  Object.entries(files).forEach(([name, text]) => writeFileSync(join(agent.folder, name), text));
  const Protocol = protocol.startsWith("pi") ? PROTOCOLS.pi : PROTOCOLS.aionrs;
  const host = createHost({ agent: [program ?? agent.command, ...args], Protocol, cwd: agent.folder, env: { ...process.env, ...agent.env }, timeouts });
  /** @type {string[]} */
  const errors = [];
  agent.defer(() => assert.deepEqual(errors, [], "the page has errors"));
  agent.defer(host.close);
  const address = await host.listen(0);
  const open = async () => {
    const page = await openPage(address);
    page.on("pageerror", (error) => errors.push(error.message));
    agent.defer(() => page.close());
    return page;
  };
  await test({ open, agent, folder: agent.folder, close: host.close });
}

/** @type {import("playwright-core").Browser | undefined} */
let browser;

/**
 * A page in the browser that all tests of a file share.
 *
 * @param {string} address
 */
async function openPage(address) {
  browser ??= await chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
  const page = await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 700 } });
  page.setDefaultTimeout(20_000);
  await page.goto(address);
  return page;
}

export const closeBrowser = () => browser?.close();

/**
 * Types a prompt as soon as the agent is ready, and waits for its turn.
 *
 * @param {Page} page
 * @param {string} text
 */
export async function prompt(page, text) {
  await page.locator("#state:is([data-state=ready], [data-state=ended])").waitFor();
  assert.equal(await page.locator("#state").textContent(), "Ready", await page.locator("#notice").innerText());
  const turns = await page.locator(".turn").count();
  await page.locator("#prompt").fill(text);
  await page.keyboard.press("Enter");
  await page.locator(".turn").nth(turns).waitFor();
}

/**
 * Waits until the page shows this text in the last turn.
 *
 * @param {Page} page
 * @param {string} text
 */
export const shows = (page, text) => page.locator(".turn").last().getByText(text).first().waitFor();
