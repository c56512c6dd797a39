import { expect } from "vitest";
import { test } from "agent-conform/vitest";
import { ask } from "./app.js";

test("the question is answered", async ({ mockModel }) => {
  const model = await mockModel([{ text: "42." }]);
  expect(await ask("What is the answer?", model.env)).toBe("42.");
  expect(model.requests()[0]?.messages).toMatchObject([{ role: "user", text: "What is the answer?" }]);
});

test("the result of a tool goes to the model", async ({ mockModel }) => {
  const model = await mockModel([{ tool_calls: [{ name: "weather", args: { city: "Oslo" } }] }, { text: "It rains." }]);
  expect(await ask("How is the weather in Oslo?", model.env)).toBe("It rains.");
  const [first, second] = model.requests();
  expect(first?.tools).toEqual(["weather"]);
  expect(second?.messages.at(-1)?.toolResults).toMatchObject([{ text: "rain in Oslo" }]);
});

test("a model that is overloaded is an error", async ({ mockModel }) => {
  const model = await mockModel([{ error: { status: 529 } }]);
  await expect(ask("What is the answer?", model.env)).rejects.toThrow("The model is not available (529).");
});
