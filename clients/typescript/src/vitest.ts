// The fixtures of vitest.
import { test as base } from "vitest";
import { MockAgents, type StartMockAgent } from "./mock-agent.js";
import { MockModels, type StartModel } from "./model.js";

/**
 * `test` of vitest with two fixtures. `mockAgent` prepares a mock agent, and at the end the test fails if the host broke the protocol. `mockModel` starts
 * a scripted model, and at the end the test fails if the app and the script do not fit.
 */
export const test = base.extend<{ mockAgent: StartMockAgent; mockModel: StartModel }>({
  mockAgent: async ({}, use) => {
    const agents = new MockAgents();
    await use(agents.start);
    await agents.close();
  },
  mockModel: async ({}, use) => {
    const models = new MockModels();
    await use(models.start);
    await models.close();
  },
});

export { test as it };
