// The fixture of node:test.
import type { TestContext } from "node:test";
import { startMockAgent, type MockAgent, type MockAgentOptions } from "./mock-agent.js";
import type { Protocol } from "./frames.js";

/** Prepares a mock agent for this test. At its end, the test fails if the host broke the protocol; end the host by `agent.defer`. */
export async function mockAgent<const P extends Protocol = Protocol>(test: TestContext, options: MockAgentOptions<P> = {}): Promise<MockAgent<P>> {
  const agent = await startMockAgent(options);
  test.after(() => agent.close());
  return agent;
}
