// The fixture of Playwright.
import { test as base } from "@playwright/test";
import { MockAgents, type StartMockAgent } from "./mock-agent.js";

/** `test` of Playwright with the fixture `mockAgent`: it prepares a mock agent, and at the end the test fails if the host broke the protocol. */
export const test = base.extend<{ mockAgent: StartMockAgent }>({
  mockAgent: async ({}, use) => {
    const agents = new MockAgents();
    await use(agents.start);
    await agents.close();
  },
});

export { expect } from "@playwright/test";
