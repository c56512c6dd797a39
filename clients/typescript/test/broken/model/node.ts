// Tests with an app that does not fit the script of its model, and one that fails by itself. They must fail.
import { test } from "node:test";
import { mockModel } from "agent-conform/node-test";
import { refused } from "../../support/app.js";

test("an app sends what the API refuses, and leaves a reply", async (t) => {
  const model = await mockModel(t, [{ text: "left" }]);
  await refused(model);
});

test("a test fails by itself", async (t) => {
  const model = await mockModel(t, []);
  throw new Error(`not as expected at ${model.url}`);
});
