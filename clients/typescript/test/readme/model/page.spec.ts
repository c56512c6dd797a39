import { expect, test } from "agent-conform/playwright";
import { startServer } from "./server.js";

test("the page waits for the answer, and shows it", async ({ mockModel, page }) => {
  const model = await mockModel([{ gate: "asked", text: "42." }]);
  const server = await startServer(model.env);
  model.defer(() => server.close());
  await page.goto(server.url);
  await page.getByRole("textbox").fill("What is the answer?");
  await page.keyboard.press("Enter");
  await model.waitForGate("asked");
  await expect(page.getByTestId("answer")).toHaveText("Thinking");
  await model.release("asked");
  await expect(page.getByTestId("answer")).toHaveText("42.");
});
