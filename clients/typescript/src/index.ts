// Mock agents for tests of hosts, and scripted models for tests of agents and apps.
export { AgentProcess } from "./agent-process.js";
export type { Crash, JournalEntry, Matcher, Status } from "./agent-process.js";
export { AgentEnded, Refused } from "./control.js";
export { HostError } from "./findings.js";
export type { Clause, Finding } from "./findings.js";
export { MockAgent, MockAgents, startMockAgent } from "./mock-agent.js";
export type { MockAgentOptions, StartMockAgent } from "./mock-agent.js";
export { MockModel, MockModels, ModelError, startModel } from "./model.js";
export type { ModelEnv, ModelOptions, StartModel } from "./model.js";
export type { ModelFailure, ModelFailureKind } from "./model-journal.js";
export type { ModelApi, ModelMessage, ModelRequest, ModelToolCall, ModelToolResult } from "./model-request.js";
export { ScriptError } from "./model-script.js";
export type { ModelReplies } from "./model-script.js";
export type { Script } from "./script.js";
export type { BuiltInProtocol, CommandOf, EventOf, JsonObject, Protocol } from "./frames.js";
export type { AgentScript, Dialects, ModelScript } from "./types/index.js";
