// Starts the host and a browser for a test, and judges the host at its end.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { createHost } from "../../src/http.mjs";
import { PROTOCOLS } from "../../src/protocols/index.mjs";
import { MockAgents } from "./mock-agent.mjs";

/** The programs, where they are not on the PATH or where Debian has them. */
const AGENT = process.env.MOCK_AGENT ?? "mock-agent";
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/**
 * Runs a test with a host whose agents are mock agents. At its end, the host must have ended its agents and kept the protocol.
 *
 * `settings`: `script` (a model script, as YAML), `fault` (the id of one), `protocol`, `args` (more arguments of the agent), `files` (of its
 * workspace, by name), `agent` (another program), `timeouts` of the host.
 * The test gets `open` (opens a page), `agents` (controls the agents), `folder` (their workspace) and `close` (ends the host).
 */
export async function withHost({ script, fault, protocol = "aionrs", args = [], files = {}, agent = AGENT, timeouts }, test) {
  const folder = mkdtempSync(join(tmpdir(), "host-"));
  const agents = new MockAgents(folder);
  const env = agents.env({ ...(script && { MOCK_AGENT_SCRIPT: join(folder, "script.yaml") }), ...(fault && { MOCK_AGENT_FAULT: fault }) });
  if (script) writeFileSync(env.MOCK_AGENT_SCRIPT, script);
  Object.entries(files).forEach(([name, text]) => writeFileSync(join(folder, name), text));
  const host = createHost({ agent: [agent, ...args], Protocol: PROTOCOLS[protocol], cwd: folder, env, timeouts });
  const pages = [];
  const errors = [];
  try {
    const address = await host.listen(0);
    const open = async () => {
      const page = await openPage(address);
      page.on("pageerror", (error) => errors.push(error.message));
      pages.push(page);
      return page;
    };
    await test({ open, agents, folder, close: host.close });
    await host.close();
    await agents.ended();
    if (agent === AGENT) assert.equal(agents.mistakes(), "", "the host broke the protocol");
    assert.deepEqual(errors, [], "the page has errors");
  } finally {
    await Promise.all([host.close(), ...pages.map((page) => page.close())]);
    agents.close();
    rmSync(folder, { recursive: true });
  }
}

let browser;

/** A page in the browser that all tests of a file share. */
async function openPage(address) {
  browser ??= await chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
  const page = await browser.newPage({ reducedMotion: "reduce", viewport: { width: 900, height: 700 } });
  page.setDefaultTimeout(20_000);
  await page.goto(address);
  return page;
}

export const closeBrowser = () => browser?.close();

/** Types a prompt as soon as the agent is ready, and waits for its turn. */
export async function prompt(page, text) {
  await page.locator("#state:is([data-state=ready], [data-state=ended])").waitFor();
  assert.equal(await page.locator("#state").textContent(), "Ready", await page.locator("#notice").innerText());
  const turns = await page.locator(".turn").count();
  await page.locator("#prompt").fill(text);
  await page.keyboard.press("Enter");
  await page.locator(".turn").nth(turns).waitFor();
}

/** Waits until the page shows this text in the last turn. */
export const shows = (page, text) => page.locator(".turn").last().getByText(text).first().waitFor();
