// Mock agents for tests of hosts.
export { AgentProcess } from "./agent-process.js";
export type { Crash, JournalEntry, Matcher, Status } from "./agent-process.js";
export { AgentEnded, Refused } from "./control.js";
export { HostError } from "./findings.js";
export type { Clause, Finding } from "./findings.js";
export { MockAgent, MockAgents, startMockAgent } from "./mock-agent.js";
export type { MockAgentOptions, StartMockAgent } from "./mock-agent.js";
export type { Script } from "./script.js";
export type { BuiltInProtocol, CommandOf, EventOf, JsonObject, Protocol } from "./frames.js";
export type { AgentScript, Dialects, ModelScript } from "./types/index.js";
