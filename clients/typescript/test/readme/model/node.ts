import assert from "node:assert/strict";
import { test } from "node:test";
import { mockModel } from "agent-conform/node-test";
import { ask } from "./app.js";

test("the question is answered", async (t) => {
  const model = await mockModel(t, [{ text: "42." }]);
  assert.equal(await ask("What is the answer?", model.env), "42.");
  assert.equal(model.requests()[0]?.messages[0]?.text, "What is the answer?");
});
