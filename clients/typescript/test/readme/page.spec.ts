import { expect, test } from "agent-conform/playwright";
import { startServer } from "./server.js";

const script = [{ content: [{ text: "The answer is " }, { gate: "half" }, { text: "42." }] }];

test("half an answer is on the page while the agent works", async ({ mockAgent, page }) => {
  const agent = await mockAgent({ protocol: "aionrs@0.1", script });
  const server = await startServer({ command: [agent.command, ...agent.args], env: agent.env });
  agent.defer(() => server.close());
  await page.goto(server.url);
  await page.getByRole("textbox").fill("hello");
  await page.keyboard.press("Enter");
  await agent.waitForGate("half");
  await expect(page.getByTestId("answer")).toHaveText("The answer is ");
  await agent.release("half");
  await expect(page.getByTestId("answer")).toHaveText("The answer is 42.");
});
