// The fixtures of node:test.
import type { TestContext } from "node:test";
import { startMockAgent, type MockAgent, type MockAgentOptions } from "./mock-agent.js";
import { startModel, type MockModel, type ModelOptions } from "./model.js";
import type { ModelReplies } from "./model-script.js";
import type { Protocol } from "./frames.js";

/** Prepares a mock agent for this test. At its end, the test fails if the host broke the protocol; end the host by `agent.defer`. */
export async function mockAgent<const P extends Protocol = Protocol>(test: TestContext, options: MockAgentOptions<P> = {}): Promise<MockAgent<P>> {
  const agent = await startMockAgent(options);
  closeAfter(test, agent);
  return agent;
}

/** Starts a scripted model for this test. At its end, the test fails if the app and the script do not fit; end the app by `model.defer`. */
export async function mockModel(test: TestContext, script: ModelReplies, options: ModelOptions = {}): Promise<MockModel> {
  const model = await startModel(script, options);
  closeAfter(test, model);
  return model;
}

function closeAfter(test: TestContext, one: { close(): Promise<void> }): void {
  test.after(async () => {
    try {
      await one.close();
    } catch (error) {
      // Of a test that has failed already, node:test shows the first error only.
      for (const line of (error as Error).message.split("\n")) test.diagnostic(line);
      throw error;
    }
  });
}
