// The fixture of Playwright.
import { basename } from "node:path";
import { test as base } from "@playwright/test";
import { MockAgents, type StartMockAgent } from "./mock-agent.js";

/**
 * `test` of Playwright with the fixture `mockAgent`: it prepares a mock agent, and at the end the test fails if the host broke the protocol. The
 * transcripts of a test that fails are attached to its result.
 */
export const test = base.extend<{ mockAgent: StartMockAgent }>({
  mockAgent: async ({}, use, info) => {
    const agents = new MockAgents();
    await use(agents.start);
    await agents.close(async (transcripts, isBroken) => {
      if (!isBroken && info.status === info.expectedStatus) return;
      for (const path of transcripts) await info.attach(basename(path), { path, contentType: "application/jsonl" });
    });
  },
});

export { expect } from "@playwright/test";
