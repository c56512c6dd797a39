// A request to the model, decoded: the same members whichever API the app uses.
import type { JsonObject } from "./frames.js";

/** Anthropic Messages, OpenAI Chat Completions, OpenAI Responses or Gemini. */
export type ModelApi = "anthropic" | "openai-chat" | "openai-responses" | "gemini";

/** A request of the app for an answer of the model. */
export interface ModelRequest {
  /** Its number among all requests, from 0, as failures cite it. */
  number: number;
  api: ModelApi;
  path: string;
  /** The name of the model that the app asks for. */
  model: string;
  /** Whether the app asks for a stream. */
  stream: boolean;
  /** The system prompt, or the instructions. */
  system: string;
  /** The conversation, without the system prompt. */
  messages: ModelMessage[];
  /** The names of the tools that the model may call. */
  tools: string[];
  /** The whole body, as sent. */
  body: JsonObject;
}

/** A message of the conversation. */
export interface ModelMessage {
  /** `user`, `assistant`, or `tool` for the results of tools over the APIs of OpenAI; over those of Anthropic and Gemini, the user brings them. */
  role: string;
  text: string;
  toolCalls: ModelToolCall[];
  toolResults: ModelToolResult[];
}

/** A call of a tool by the model. */
export interface ModelToolCall {
  id: string;
  name: string;
  /** The arguments, decoded; the text itself if it is not JSON. */
  args: unknown;
}

/** What a tool has returned. */
export interface ModelToolResult {
  /** The id of the call; over Gemini its name, if the app sends no id. */
  call: string;
  text: string;
  /** Anthropic marks errors, and Gemini has them in a member `error`. */
  isError: boolean;
}

const PATHS: readonly (readonly [string, ModelApi])[] = [
  ["/messages", "anthropic"],
  ["/chat/completions", "openai-chat"],
  ["/responses", "openai-responses"],
];

/** The end of a path of Gemini, which has the model. */
const GEMINI_PATH = /\/([^/]+):(generateContent|streamGenerateContent)$/;

/** The request of a record of the journal; null if it is for something other than an answer, such as the list of models. */
export function decodeRequest({ n, method, path, body }: { n: number; method: string; path: string; body: unknown }): ModelRequest | null {
  const gemini = GEMINI_PATH.exec(path);
  const known = gemini === null ? PATHS.find(([end]) => path.endsWith(end))?.[1] : "gemini";
  const api = method === "POST" ? known : undefined;
  if (api === undefined) return null;
  const sent = isObject(body) ? body : {};
  const { system, messages } = DECODERS[api](sent);
  const offered = objects(sent["tools"]).flatMap((tool) => {
    const functions = tool["functionDeclarations"] ?? tool["function_declarations"];
    return functions === undefined ? [tool] : objects(functions);
  });
  const names = offered.map((tool) => member(tool, "name") ?? member(tool["function"] ?? tool["custom"], "name") ?? member(tool, "type"));
  return {
    number: n,
    api,
    path,
    model: gemini?.[1] ?? member(sent, "model") ?? "",
    stream: gemini === null ? sent["stream"] === true : gemini[2] === "streamGenerateContent",
    system: system.join("\n"),
    messages,
    tools: names.flatMap((name) => name ?? []),
    body: sent,
  };
}

interface Conversation {
  system: string[];
  messages: ModelMessage[];
}

const DECODERS: Record<ModelApi, (body: JsonObject) => Conversation> = {
  anthropic: (body) => ({
    system: textOf(body["system"]) === "" ? [] : [textOf(body["system"])],
    messages: objects(body["messages"]).map((message) => {
      const blocks = objects(message["content"]);
      return {
        role: member(message, "role") ?? "",
        text: textOf(message["content"]),
        toolCalls: blocks.flatMap((block) => (block["type"] === "tool_use" ? [call(block, "id", block["name"], block["input"])] : [])),
        toolResults: blocks.flatMap((block) => (block["type"] === "tool_result" ? [result(block, "tool_use_id", block["content"], block["is_error"] === true)] : [])),
      };
    }),
  }),
  "openai-chat": (body) =>
    conversation([], objects(body["messages"]), (message) => {
      if (message["role"] === "tool") return { toolResults: [result(message, "tool_call_id", message["content"])] };
      const calls = objects(message["tool_calls"]).map((one) => {
        const { name, arguments: args, input } = isObject(one["function"]) ? one["function"] : isObject(one["custom"]) ? one["custom"] : {};
        return call(one, "id", name, args === undefined ? input : parsed(args));
      });
      return { text: textOf(message["content"]), toolCalls: calls };
    }),
  "openai-responses": (body) => {
    const { instructions, input } = body;
    const items = typeof input === "string" ? [{ role: "user", content: input }] : objects(input).filter(({ type }) => type !== "reasoning");
    return conversation(typeof instructions === "string" ? [instructions] : [], items, (item) => {
      const type = member(item, "type") ?? "message";
      if (type.endsWith("_call_output")) return { role: "tool", toolResults: [result(item, "call_id", item["output"])] };
      if (type === "function_call") return { role: "assistant", toolCalls: [call(item, "call_id", item["name"], parsed(item["arguments"]))] };
      if (type === "custom_tool_call") return { role: "assistant", toolCalls: [call(item, "call_id", item["name"], item["input"])] };
      return { text: textOf(item["content"]) };
    });
  },
  gemini: (body) => {
    const instruction = body["systemInstruction"] ?? body["system_instruction"];
    const system = isObject(instruction) ? textOf(oneOrMore(instruction["parts"])) : "";
    return { system: system === "" ? [] : [system], messages: oneOrMore(body["contents"]).map(geminiMessage) };
  },
};

function geminiMessage(content: JsonObject): ModelMessage {
  const parts = oneOrMore(content["parts"]);
  const calls = objects(parts.map((part) => part["functionCall"] ?? part["function_call"]));
  const results = objects(parts.map((part) => part["functionResponse"] ?? part["function_response"]));
  return {
    role: content["role"] === "model" ? "assistant" : "user",
    text: textOf(parts.filter(({ thought }) => thought !== true)),
    toolCalls: calls.map((one) => call(one, "id", one["name"], one["args"])),
    toolResults: results.map(({ id, name, response }) => {
      const returned = isObject(response) ? response : {};
      const text = returned["output"] ?? returned["error"] ?? returned;
      return { call: String(id ?? name), text: typeof text === "string" ? text : JSON.stringify(text), isError: "error" in returned };
    }),
  };
}

/** A conversation in which the system prompt is a message like the others. */
function conversation(system: string[], all: JsonObject[], decode: (message: JsonObject) => Partial<ModelMessage>): Conversation {
  const isSystem = ({ role }: JsonObject) => role === "system" || role === "developer";
  const messages = all.filter((message) => !isSystem(message));
  return {
    system: [...system, ...all.filter(isSystem).map(({ content }) => textOf(content))],
    messages: messages.map((message) => ({ role: member(message, "role") ?? "", text: "", toolCalls: [], toolResults: [], ...decode(message) })),
  };
}

const call = (from: JsonObject, id: string, name: unknown, args: unknown): ModelToolCall => ({ id: member(from, id) ?? "", name: String(name), args });

const result = (from: JsonObject, id: string, content: unknown, isError = false): ModelToolResult => ({ call: member(from, id) ?? "", text: textOf(content), isError });

/** The text of a content: a string, or the texts of its parts, one after the other. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content).map((part) => member(part, "text") ?? member(part, "refusal") ?? "").join("");
}

/** The JSON of a text; the text itself if it is none. */
function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}

/** The objects of a list, for which Gemini also takes one object. */
const oneOrMore = (value: unknown): JsonObject[] => objects(isObject(value) ? [value] : value);

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function member(value: unknown, name: string): string | undefined {
  const found = isObject(value) ? value[name] : undefined;
  return typeof found === "string" ? found : undefined;
}
