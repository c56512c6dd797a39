// The fixture of vitest.
import { test as base } from "vitest";
import { MockAgents, type StartMockAgent } from "./mock-agent.js";

/** `test` of vitest with the fixture `mockAgent`: it prepares a mock agent, and at the end the test fails if the host broke the protocol. */
export const test = base.extend<{ mockAgent: StartMockAgent }>({
  mockAgent: async ({}, use) => {
    const agents = new MockAgents();
    await use(agents.start);
    await agents.close();
  },
});

export { test as it };
