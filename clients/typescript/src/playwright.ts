// The fixtures of Playwright.
import { basename } from "node:path";
import { test as base } from "@playwright/test";
import { MockAgents, type StartMockAgent } from "./mock-agent.js";
import { MockModels, type StartModel } from "./model.js";

/**
 * `test` of Playwright with two fixtures. `mockAgent` prepares a mock agent, and at the end the test fails if the host broke the protocol. `mockModel`
 * starts a scripted model, and at the end the test fails if the app and the script do not fit. The transcripts and journals of a test that fails
 * are attached to its result.
 */
export const test = base.extend<{ mockAgent: StartMockAgent; mockModel: StartModel }>({
  mockAgent: async ({}, use, info) => {
    const agents = new MockAgents();
    await use(agents.start);
    await agents.close(async (transcripts, isBroken) => {
      if (!isBroken && info.status === info.expectedStatus) return;
      for (const path of transcripts) await info.attach(basename(path), { path, contentType: "application/jsonl" });
    });
  },
  mockModel: async ({}, use, info) => {
    const models = new MockModels();
    await use(models.start);
    await models.close(async (path, isWrong) => {
      if (isWrong || info.status !== info.expectedStatus) await info.attach("model-journal.jsonl", { path, contentType: "application/jsonl" });
    });
  },
});

export { expect } from "@playwright/test";
