// A small app: it sends bodies to a model, over each API.
import type { JsonObject, MockModel, ModelApi } from "agent-conform";

const PATHS: Record<ModelApi, string> = {
  anthropic: "/v1/messages",
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  gemini: "/v1beta/models/gemini-3-pro:streamGenerateContent",
};

export function send(model: MockModel, api: ModelApi, body: JsonObject): Promise<Response> {
  const key = { authorization: `Bearer ${model.env.OPENAI_API_KEY}`, "x-api-key": model.env.ANTHROPIC_API_KEY, "x-goog-api-key": model.env.GEMINI_API_KEY };
  const headers = { ...key, "content-type": "application/json", "anthropic-version": "2023-06-01" };
  return fetch(model.url + PATHS[api], { method: "POST", headers, body: JSON.stringify(body) });
}

/** The answer to a question over Chat Completions. */
export async function ask(model: MockModel, question: string): Promise<string> {
  const response = await send(model, "openai-chat", { model: "gpt-5", messages: [{ role: "user", content: question }] });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? "";
}

/** Sends a request without messages. */
export async function refused(model: MockModel): Promise<void> {
  await send(model, "openai-chat", { model: "gpt-5", messages: [] });
}
