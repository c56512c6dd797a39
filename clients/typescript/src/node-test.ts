// The fixture of node:test.
import type { TestContext } from "node:test";
import { startMockAgent, type MockAgent, type MockAgentOptions } from "./mock-agent.js";
import type { Protocol } from "./frames.js";

/** Prepares a mock agent for this test. At its end, the test fails if the host broke the protocol; end the host by `agent.defer`. */
export async function mockAgent<const P extends Protocol = Protocol>(test: TestContext, options: MockAgentOptions<P> = {}): Promise<MockAgent<P>> {
  const agent = await startMockAgent(options);
  test.after(async () => {
    try {
      await agent.close();
    } catch (error) {
      // Of a test that has failed already, node:test shows the first error only.
      for (const line of (error as Error).message.split("\n")) test.diagnostic(line);
      throw error;
    }
  });
  return agent;
}
