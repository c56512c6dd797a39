// Tests with an app that does not fit the script of its model, and one that fails by itself. They must fail.
import { test } from "agent-conform/playwright";
import { refused } from "../../support/app.js";

test("an app sends what the API refuses, and leaves a reply", async ({ mockModel }) => {
  const model = await mockModel([{ text: "left" }]);
  await refused(model);
});

test("a test fails by itself", async ({ mockModel }) => {
  const model = await mockModel([]);
  throw new Error(`not as expected at ${model.url}`);
});
