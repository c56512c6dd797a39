// The differences that stay between the real pi and mock-agent, each with a reason. `at` is the call or the event and `path` the member
// where it is found; `when` is true for the two values. With `sometimes`, it depends on timing. Without `protocols`, it is in both; with
// `step`, only there.

const text = (real, mock) => typeof real === "string" && typeof mock === "string";

export const KNOWN = [
  {
    at: /./,
    path: /\/(responseId|rawStopReason|thinkingSignature)$/,
    when: (_, mock) => mock === undefined,
    reason: "The API of the model says these. A script has no API.",
  },
  {
    protocols: ["pi@0.87", "pi@1.6"],
    at: /./,
    path: /\/usage\/(cacheWrite1h|reasoning)$/,
    when: (real) => real === 0,
    reason: "Counts that only some APIs have.",
  },
  {
    at: /^message_start assistant$/,
    path: /^\/message\/(content|usage|stopReason|errorMessage)/,
    reason: "pi sends a live object, which has what came until it was written; and its API says the usage of the input at the start.",
  },
  {
    at: /^message_update/,
    path: /^(\/message|\/assistantMessageEvent\/partial|\/usage)\//,
    reason: "A live object, and the usage of the input, as in message_start.",
  },
  {
    at: /^message_update toolcall_delta$/,
    path: /^$|^\/assistantMessageEvent\/delta$/,
    reason: "The API of the model begins arguments with an empty fragment.",
  },
  {
    at: /^getSessionStats/,
    path: /^\/result\/(tokens|cost|contextUsage)/,
    reason: "The usage of aborted replies in the sums; and the size of the context after them, which is an estimate.",
  },
  {
    at: /./,
    path: /\/errorMessage$/,
    when: text,
    reason: "The words of pi's HTTP client about an error.",
  },
  {
    protocols: ["pi@0.87"],
    at: /./,
    path: /\/stopReason$/,
    when: (real, mock) => real === "error" && mock === "aborted",
    reason: "pi says that the request after an aborted tool has failed.",
  },
  {
    at: /^getLastAssistantText/,
    path: /^\/result$/,
    when: (real, mock) => real === undefined && mock === null,
    reason: "The page says null where there is no text. pi leaves the member out.",
  },
  {
    protocols: ["pi@0.73"],
    at: /^(thinking_level_changed|session_info_changed)$/,
    path: /^$/,
    when: (_, mock) => mock === undefined,
    reason: "Events that the page of 0.73 does not have.",
  },
  {
    at: /^tool_execution_update bash$/,
    path: /^/,
    sometimes: true,
    reason: "pi sends an update before there is output, and others at most every 100 ms.",
  },
  {
    at: /./,
    path: /\/text$/,
    when: (real) => real === "Tool teleport not found",
    reason: "The words about a tool that does not exist.",
  },
  {
    protocols: ["pi@0.87", "pi@1.6"],
    at: /./,
    path: /\/(sections|toolsAdded|systemMessage)\//,
    reason: "Each agent has its own prompt, and its own descriptions of the tools.",
  },
  {
    protocols: ["pi@0.87", "pi@1.6"],
    at: /./,
    path: /\/estimatedTokensAfter$/,
    when: (real, mock) => real > mock && mock > 0,
    reason: "An estimate, which includes the prompt of the agent.",
  },
  {
    protocols: ["pi@0.73"],
    step: /^a compaction of nothing$/,
    at: /compact/,
    path: /^/,
    reason: "pi 0.73 has the model summarize a session without messages.",
  },
  {
    protocols: ["pi@0.87", "pi@1.6"],
    at: /^getCommands/,
    path: /^\/result\/$/,
    when: (real, mock) => real?.source === "extension" && mock === undefined,
    reason: "A command of an extension that comes with pi.",
  },
  {
    protocols: ["pi@1.6"],
    at: /./,
    path: /\/(durationMs|totalFromProvider|structuredContent)$|^\/result\/isError$/,
    when: (_, mock) => mock === undefined,
    reason: "Members that no page names.",
  },
  {
    protocols: ["pi@1.6"],
    at: /^tool_execution_end/,
    path: /^\/durationMs$/,
    when: (real, mock) => real >= 0 && mock >= 0,
    reason: "How long a tool ran. mock-agent counts steps.",
  },
  {
    protocols: ["pi@1.6"],
    at: /./,
    path: /\/details$/,
    when: (real) => real === undefined,
    reason: "A command that failed has no details in pi.",
  },
  {
    protocols: ["pi@1.6"],
    at: /^message_start assistant$/,
    path: /^\/message\/thinkingLevel$/,
    when: (_, mock) => mock === undefined,
    reason: "An aborted message is complete when it starts.",
  },
];
