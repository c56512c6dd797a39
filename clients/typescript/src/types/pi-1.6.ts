// The frames of pi@1.6. Generated from its schemas by clients/generate.

/**
 * A frame of either side.
 */
export type Frame = Event | Command;
/**
 * What the agent sends.
 */
export type Event =
  | AgentStartEvent
  | AgentEndEvent
  | TurnStartEvent
  | TurnEndEvent
  | MessageStartEvent
  | MessageUpdateEvent
  | MessageEndEvent
  | ToolExecutionStartEvent
  | ToolExecutionEndEvent
  | ResponseEvent
  | ToolExecutionUpdateEvent
  | QueueUpdateEvent
  | CompactionStartEvent
  | CompactionEndEvent
  | AutoRetryStartEvent
  | AutoRetryEndEvent
  | ExtensionErrorEvent
  | ExtensionUiRequestEvent
  | AgentSettledEvent
  | EntryAppendedEvent
  | SessionInfoChangedEvent
  | ThinkingLevelChangedEvent
  | SummarizationRetryScheduledEvent
  | SummarizationRetryAttemptStartEvent
  | SummarizationRetryFinishedEvent
  | BashExecutionUpdateEvent;
/**
 * A message of any role; the roles of an app's own have shapes of their own
 */
export type AppMessage =
  SystemMessage | UserMessage | AssistantMessage | ToolResultMessage | BashExecutionMessage | CompactionSummaryMessage;
/**
 * Unix time in milliseconds; the minimum rules out seconds
 */
export type Timestamp = number;
/**
 * A block of a user message
 */
export type UserContent = TextContent | ImageContent;
/**
 * A block of an assistant message
 */
export type AssistantContent = TextContent | ThinkingContent | ToolCall;
/**
 * Why a message ended; pending while it streams
 */
export type StopReason = "pending" | "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred";
/**
 * How much the model thinks
 */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
/**
 * A block of a tool's result
 */
export type ToolContent = TextContent | ImageContent;
/**
 * One step of an assistant message's stream; its kind is the type of its assistantMessageEvent
 */
export type MessageUpdateEvent =
  | MessageUpdateStartEvent
  | MessageUpdateTextStartEvent
  | MessageUpdateTextDeltaEvent
  | MessageUpdateTextEndEvent
  | MessageUpdateThinkingStartEvent
  | MessageUpdateThinkingDeltaEvent
  | MessageUpdateThinkingEndEvent
  | MessageUpdateToolcallStartEvent
  | MessageUpdateToolcallDeltaEvent
  | MessageUpdateToolcallEndEvent
  | MessageUpdateDoneEvent
  | MessageUpdateErrorEvent;
/**
 * The answer to a command; its kind is the command
 */
export type ResponseEvent =
  | ResponseParseEvent
  | ResponsePromptEvent
  | ResponseSteerEvent
  | ResponseFollowUpEvent
  | ResponseAbortEvent
  | ResponseClearQueueEvent
  | ResponseNewSessionEvent
  | ResponseGetStateEvent
  | ResponseGetMessagesEvent
  | ResponseSetModelEvent
  | ResponseCycleModelEvent
  | ResponseGetAvailableModelsEvent
  | ResponseSetThinkingLevelEvent
  | ResponseCycleThinkingLevelEvent
  | ResponseGetAvailableThinkingLevelsEvent
  | ResponseSetSteeringModeEvent
  | ResponseSetFollowUpModeEvent
  | ResponseCompactEvent
  | ResponseSetAutoCompactionEvent
  | ResponseSetAutoRetryEvent
  | ResponseAbortRetryEvent
  | ResponseBashEvent
  | ResponseAbortBashEvent
  | ResponseGetSessionStatsEvent
  | ResponseExportHtmlEvent
  | ResponseSwitchSessionEvent
  | ResponseForkEvent
  | ResponseCloneEvent
  | ResponseGetForkMessagesEvent
  | ResponseGetEntriesEvent
  | ResponseGetTreeEvent
  | ResponseGetLastAssistantTextEvent
  | ResponseSetSessionNameEvent
  | ResponseGetCommandsEvent;
/**
 * The prompt was accepted, queued or handled
 */
export type ResponsePromptEvent = ResponsePromptEventSucceeded | ResponsePromptEventFailed;
/**
 * The message was queued or handled
 */
export type ResponseSteerEvent = ResponseSteerEventSucceeded | ResponseSteerEventFailed;
/**
 * The message was queued or handled
 */
export type ResponseFollowUpEvent = ResponseFollowUpEventSucceeded | ResponseFollowUpEventFailed;
/**
 * The operation was aborted
 */
export type ResponseAbortEvent = ResponseAbortEventSucceeded | ResponseAbortEventFailed;
/**
 * What was queued
 */
export type ResponseClearQueueEvent = ResponseClearQueueEventSucceeded | ResponseClearQueueEventFailed;
/**
 * A new session
 */
export type ResponseNewSessionEvent = ResponseNewSessionEventSucceeded | ResponseNewSessionEventFailed;
/**
 * The state of the session
 */
export type ResponseGetStateEvent = ResponseGetStateEventSucceeded | ResponseGetStateEventFailed;
/**
 * How queued messages are delivered
 */
export type QueueMode = "all" | "one-at-a-time";
/**
 * The messages of the session
 */
export type ResponseGetMessagesEvent = ResponseGetMessagesEventSucceeded | ResponseGetMessagesEventFailed;
/**
 * The model that is set now
 */
export type ResponseSetModelEvent = ResponseSetModelEventSucceeded | ResponseSetModelEventFailed;
/**
 * The selected model; null if there is no other
 */
export type ResponseCycleModelEvent = ResponseCycleModelEventSucceeded | ResponseCycleModelEventFailed;
/**
 * The models that there are
 */
export type ResponseGetAvailableModelsEvent = ResponseGetAvailableModelsEventSucceeded | ResponseGetAvailableModelsEventFailed;
/**
 * The level was set
 */
export type ResponseSetThinkingLevelEvent = ResponseSetThinkingLevelEventSucceeded | ResponseSetThinkingLevelEventFailed;
/**
 * The level that is set now; null if the model does not think
 */
export type ResponseCycleThinkingLevelEvent = ResponseCycleThinkingLevelEventSucceeded | ResponseCycleThinkingLevelEventFailed;
/**
 * The levels that the model supports
 */
export type ResponseGetAvailableThinkingLevelsEvent =
  ResponseGetAvailableThinkingLevelsEventSucceeded | ResponseGetAvailableThinkingLevelsEventFailed;
/**
 * The mode was set
 */
export type ResponseSetSteeringModeEvent = ResponseSetSteeringModeEventSucceeded | ResponseSetSteeringModeEventFailed;
/**
 * The mode was set
 */
export type ResponseSetFollowUpModeEvent = ResponseSetFollowUpModeEventSucceeded | ResponseSetFollowUpModeEventFailed;
/**
 * What the compaction came to
 */
export type ResponseCompactEvent = ResponseCompactEventSucceeded | ResponseCompactEventFailed;
/**
 * The switch was set
 */
export type ResponseSetAutoCompactionEvent = ResponseSetAutoCompactionEventSucceeded | ResponseSetAutoCompactionEventFailed;
/**
 * The switch was set
 */
export type ResponseSetAutoRetryEvent = ResponseSetAutoRetryEventSucceeded | ResponseSetAutoRetryEventFailed;
/**
 * Trying again was aborted
 */
export type ResponseAbortRetryEvent = ResponseAbortRetryEventSucceeded | ResponseAbortRetryEventFailed;
/**
 * What the shell command came to
 */
export type ResponseBashEvent = ResponseBashEventSucceeded | ResponseBashEventFailed;
/**
 * The shell command was aborted
 */
export type ResponseAbortBashEvent = ResponseAbortBashEventSucceeded | ResponseAbortBashEventFailed;
/**
 * What the session used
 */
export type ResponseGetSessionStatsEvent = ResponseGetSessionStatsEventSucceeded | ResponseGetSessionStatsEventFailed;
/**
 * Where the session was written to
 */
export type ResponseExportHtmlEvent = ResponseExportHtmlEventSucceeded | ResponseExportHtmlEventFailed;
/**
 * Another session
 */
export type ResponseSwitchSessionEvent = ResponseSwitchSessionEventSucceeded | ResponseSwitchSessionEventFailed;
/**
 * A fork of the session
 */
export type ResponseForkEvent = ResponseForkEventSucceeded | ResponseForkEventFailed;
/**
 * A copy of the session
 */
export type ResponseCloneEvent = ResponseCloneEventSucceeded | ResponseCloneEventFailed;
/**
 * The messages that can be forked from
 */
export type ResponseGetForkMessagesEvent = ResponseGetForkMessagesEventSucceeded | ResponseGetForkMessagesEventFailed;
/**
 * The entries of the session
 */
export type ResponseGetEntriesEvent = ResponseGetEntriesEventSucceeded | ResponseGetEntriesEventFailed;
/**
 * The entries of the session as a tree
 */
export type ResponseGetTreeEvent = ResponseGetTreeEventSucceeded | ResponseGetTreeEventFailed;
/**
 * The text of the last assistant message
 */
export type ResponseGetLastAssistantTextEvent = ResponseGetLastAssistantTextEventSucceeded | ResponseGetLastAssistantTextEventFailed;
/**
 * The name was set
 */
export type ResponseSetSessionNameEvent = ResponseSetSessionNameEventSucceeded | ResponseSetSessionNameEventFailed;
/**
 * The commands that a prompt can name
 */
export type ResponseGetCommandsEvent = ResponseGetCommandsEventSucceeded | ResponseGetCommandsEventFailed;
/**
 * Trying again is over
 */
export type AutoRetryEndEvent = AutoRetryEndEventSucceeded | AutoRetryEndEventFailed;
/**
 * An extension's dialog or notice for the user; its kind is its method
 */
export type ExtensionUiRequestEvent =
  | ExtensionUiRequestSelectEvent
  | ExtensionUiRequestConfirmEvent
  | ExtensionUiRequestInputEvent
  | ExtensionUiRequestEditorEvent
  | ExtensionUiRequestNotifyEvent
  | ExtensionUiRequestSetStatusEvent
  | ExtensionUiRequestSetWidgetEvent
  | ExtensionUiRequestSetTitleEvent
  | ExtensionUiRequestSetEditorTextEvent;
/**
 * What the host sends.
 */
export type Command =
  | PromptCommand
  | AbortCommand
  | CompactCommand
  | BashCommand
  | SteerCommand
  | FollowUpCommand
  | NewSessionCommand
  | GetStateCommand
  | GetMessagesCommand
  | SetModelCommand
  | CycleModelCommand
  | GetAvailableModelsCommand
  | SetThinkingLevelCommand
  | CycleThinkingLevelCommand
  | SetSteeringModeCommand
  | SetFollowUpModeCommand
  | SetAutoCompactionCommand
  | SetAutoRetryCommand
  | AbortRetryCommand
  | AbortBashCommand
  | GetSessionStatsCommand
  | ExportHtmlCommand
  | SwitchSessionCommand
  | ForkCommand
  | CloneCommand
  | GetForkMessagesCommand
  | GetLastAssistantTextCommand
  | SetSessionNameCommand
  | GetCommandsCommand
  | ExtensionUiResponseCommand
  | ClearQueueCommand
  | GetAvailableThinkingLevelsCommand
  | GetEntriesCommand
  | GetTreeCommand;

/**
 * The agent begins to process a prompt
 */
export interface AgentStartEvent {
  type: "agent_start";
}
/**
 * One run is over; more may follow without a command
 */
export interface AgentEndEvent {
  type: "agent_end";
  /**
   * The messages of the run
   */
  messages: AppMessage[];
  /**
   * Whether it is tried again
   */
  willRetry: boolean;
}
/**
 * Instructions and tools, or changes to them
 */
export interface SystemMessage {
  role: "system";
  /**
   * A string, or blocks of text
   */
  content: string | TextContent[];
  /**
   * Sections of the prompt by name; null removes one
   */
  sections?: {
    [k: string]: string | null;
  };
  /**
   * Tools that there are from now on
   */
  toolsAdded?: NamedTool[];
  /**
   * Tools that there are not any more
   */
  toolsRemoved?: NamedTool[];
  timestamp: Timestamp;
}
/**
 * A block of text
 */
export interface TextContent {
  type: "text";
  /**
   * The text
   */
  text: string;
  /**
   * The provider's signature
   */
  textSignature?: string;
}
/**
 * A tool, by its name
 */
export interface NamedTool {
  /**
   * Its name
   */
  name: string;
}
/**
 * The user's text
 */
export interface UserMessage {
  role: "user";
  /**
   * A string, or blocks
   */
  content: string | UserContent[];
  timestamp: Timestamp;
}
/**
 * An image
 */
export interface ImageContent {
  type: "image";
  /**
   * The image in base64
   */
  data: string;
  /**
   * Such as image/png
   */
  mimeType: string;
}
/**
 * The model's text
 */
export interface AssistantMessage {
  role: "assistant";
  /**
   * Text, thinking and tool calls in the order of the stream
   */
  content: AssistantContent[];
  /**
   * The wire that the model was asked over
   */
  api: string;
  /**
   * Who serves the model
   */
  provider: string;
  /**
   * The model
   */
  model: string;
  usage: Usage;
  stopReason: StopReason;
  /**
   * What went wrong
   */
  errorMessage?: string;
  timestamp: Timestamp;
  /**
   * The model that the provider reports
   */
  responseModel?: string;
  thinkingLevel?: ThinkingLevel;
}
/**
 * A block of reasoning
 */
export interface ThinkingContent {
  type: "thinking";
  /**
   * The reasoning
   */
  thinking: string;
  /**
   * The provider's signature
   */
  thinkingSignature?: string;
  /**
   * Whether only the provider can read it
   */
  redacted?: boolean;
}
/**
 * A tool call of the model
 */
export interface ToolCall {
  type: "toolCall";
  /**
   * The call's id
   */
  id: string;
  /**
   * The tool
   */
  name: string;
  /**
   * The arguments
   */
  arguments: {
    [k: string]: unknown;
  };
  /**
   * The provider's signature
   */
  thoughtSignature?: string;
}
/**
 * Tokens, and their cost
 */
export interface Usage {
  /**
   * Input tokens
   */
  input: number;
  /**
   * Output tokens, with those of reasoning
   */
  output: number;
  /**
   * Tokens read from the cache
   */
  cacheRead: number;
  /**
   * Tokens written to the cache
   */
  cacheWrite: number;
  /**
   * Those of them that are kept for an hour
   */
  cacheWrite1h?: number;
  /**
   * Those of the output that are reasoning
   */
  reasoning?: number;
  /**
   * In all
   */
  totalTokens: number;
  cost: Cost;
}
/**
 * What the tokens cost
 */
export interface Cost {
  /**
   * For the input
   */
  input: number;
  /**
   * For the output
   */
  output: number;
  /**
   * For reads from the cache
   */
  cacheRead: number;
  /**
   * For writes to the cache
   */
  cacheWrite: number;
  /**
   * In all
   */
  total: number;
}
/**
 * What a tool gave back
 */
export interface ToolResultMessage {
  role: "toolResult";
  /**
   * The call it answers
   */
  toolCallId: string;
  /**
   * The tool
   */
  toolName: string;
  /**
   * Text and images
   */
  content: ToolContent[];
  /**
   * Anything; may be left out
   */
  details?: unknown;
  /**
   * Whether the tool failed
   */
  isError: boolean;
  timestamp: Timestamp;
  usage?: Usage;
  nestedCalls?: NestedToolCalls;
}
/**
 * The calls that a tool has made to others
 */
export interface NestedToolCalls {
  /**
   * The calls
   */
  calls: NestedToolCall[];
  /**
   * Whether the record has lost nothing
   */
  complete: boolean;
}
/**
 * A call that a tool has made
 */
export interface NestedToolCall {
  /**
   * Its id
   */
  id: string;
  /**
   * The tool
   */
  name: string;
  /**
   * The arguments, unless they are long
   */
  arguments?: {
    [k: string]: unknown;
  };
  /**
   * The size of the arguments
   */
  argumentsBytes?: number;
  /**
   * What became of it
   */
  status: "ok" | "error" | "unfinished";
  /**
   * How long it took, in milliseconds
   */
  durationMs?: number;
  /**
   * What went wrong
   */
  error?: string;
}
/**
 * A shell command of the host and its result
 */
export interface BashExecutionMessage {
  role: "bashExecution";
  /**
   * The command
   */
  command: string;
  /**
   * What it wrote, shortened if large
   */
  output: string;
  /**
   * The exit code; none if it was cancelled
   */
  exitCode?: number | null;
  /**
   * Whether it was aborted
   */
  cancelled: boolean;
  /**
   * Whether the output was truncated
   */
  truncated: boolean;
  /**
   * A file with the complete output
   */
  fullOutputPath?: string | null;
  /**
   * Whether the model is not to know of it
   */
  excludeFromContext?: boolean;
  timestamp: Timestamp;
}
/**
 * Replaces the compacted messages
 */
export interface CompactionSummaryMessage {
  role: "compactionSummary";
  /**
   * The summary
   */
  summary: string;
  /**
   * Tokens in the context before
   */
  tokensBefore: number;
  timestamp: Timestamp;
}
/**
 * A turn begins
 */
export interface TurnStartEvent {
  type: "turn_start";
}
/**
 * A turn is complete
 */
export interface TurnEndEvent {
  type: "turn_end";
  message: AssistantMessage;
  /**
   * The results of the turn's tools
   */
  toolResults: ToolResultMessage[];
}
/**
 * A message begins
 */
export interface MessageStartEvent {
  type: "message_start";
  message: AppMessage;
}
/**
 * The stream begins
 */
export interface MessageUpdateStartEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "start";
  };
}
/**
 * A block of text begins
 */
export interface MessageUpdateTextStartEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "text_start";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
  };
}
/**
 * A piece of a block of text
 */
export interface MessageUpdateTextDeltaEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "text_delta";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
    /**
     * The piece
     */
    delta: string;
  };
}
/**
 * A block of text is complete
 */
export interface MessageUpdateTextEndEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "text_end";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
    /**
     * The complete block
     */
    content: string;
  };
}
/**
 * A block of reasoning begins
 */
export interface MessageUpdateThinkingStartEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "thinking_start";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
  };
}
/**
 * A piece of a block of reasoning
 */
export interface MessageUpdateThinkingDeltaEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "thinking_delta";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
    /**
     * The piece
     */
    delta: string;
  };
}
/**
 * A block of reasoning is complete
 */
export interface MessageUpdateThinkingEndEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "thinking_end";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
    /**
     * The complete block
     */
    content: string;
  };
}
/**
 * A tool call begins
 */
export interface MessageUpdateToolcallStartEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "toolcall_start";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
    /**
     * The id of the call
     */
    id: string;
    /**
     * The tool
     */
    toolName: string;
  };
}
/**
 * A piece of the arguments of a tool call
 */
export interface MessageUpdateToolcallDeltaEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "toolcall_delta";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
    /**
     * The piece
     */
    delta: string;
  };
}
/**
 * A tool call is complete
 */
export interface MessageUpdateToolcallEndEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "toolcall_end";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
    toolCall: ToolCall;
  };
}
/**
 * The stream is done
 */
export interface MessageUpdateDoneEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "done";
    /**
     * Why it ended
     */
    reason: string;
    message: AssistantMessage;
  };
}
/**
 * The stream failed or was aborted
 */
export interface MessageUpdateErrorEvent {
  type: "message_update";
  usage: Usage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "error";
    /**
     * Why it ended
     */
    reason: string;
    error: AssistantMessage;
  };
}
/**
 * A message is complete
 */
export interface MessageEndEvent {
  type: "message_end";
  message: AppMessage;
}
/**
 * A tool begins to run
 */
export interface ToolExecutionStartEvent {
  type: "tool_execution_start";
  /**
   * The call's id
   */
  toolCallId: string;
  /**
   * The tool
   */
  toolName: string;
  /**
   * The arguments
   */
  args: {
    [k: string]: unknown;
  };
  /**
   * The call of the tool that made this one
   */
  parentToolCallId?: string;
}
/**
 * A tool has run
 */
export interface ToolExecutionEndEvent {
  type: "tool_execution_end";
  /**
   * The call's id
   */
  toolCallId: string;
  /**
   * The tool
   */
  toolName: string;
  result: AgentToolResult;
  /**
   * Whether the tool failed
   */
  isError: boolean;
  /**
   * How long the tool ran, in milliseconds; absent if it did not
   */
  durationMs?: number;
  /**
   * The call of the tool that made this one
   */
  parentToolCallId?: string;
}
/**
 * What an executed tool returned
 */
export interface AgentToolResult {
  /**
   * Text and images
   */
  content: ToolContent[];
  /**
   * Anything; left out when undefined
   */
  details?: unknown;
}
/**
 * A line was not JSON
 */
export interface ResponseParseEvent {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "parse";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The prompt was accepted, queued or handled
 */
export interface ResponsePromptEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "prompt";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * What became of the message
     */
    disposition: "started" | "queued" | "handled";
  };
}
/**
 * The prompt was accepted, queued or handled
 */
export interface ResponsePromptEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "prompt";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The message was queued or handled
 */
export interface ResponseSteerEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "steer";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * What became of the message
     */
    disposition: "queued" | "handled";
  };
}
/**
 * The message was queued or handled
 */
export interface ResponseSteerEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "steer";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The message was queued or handled
 */
export interface ResponseFollowUpEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "follow_up";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * What became of the message
     */
    disposition: "queued" | "handled";
  };
}
/**
 * The message was queued or handled
 */
export interface ResponseFollowUpEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "follow_up";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The operation was aborted
 */
export interface ResponseAbortEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "abort";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
}
/**
 * The operation was aborted
 */
export interface ResponseAbortEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "abort";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * What was queued
 */
export interface ResponseClearQueueEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "clear_queue";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * Steering messages
     */
    steering: string[];
    /**
     * Follow-up messages
     */
    followUp: string[];
  };
}
/**
 * What was queued
 */
export interface ResponseClearQueueEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "clear_queue";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * A new session
 */
export interface ResponseNewSessionEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "new_session";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * Whether an extension cancelled it
     */
    cancelled: boolean;
  };
}
/**
 * A new session
 */
export interface ResponseNewSessionEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "new_session";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The state of the session
 */
export interface ResponseGetStateEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_state";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    model?: Model;
    thinkingLevel: ThinkingLevel;
    /**
     * Whether a run is active
     */
    isStreaming: boolean;
    /**
     * Whether a compaction is active
     */
    isCompacting: boolean;
    steeringMode: QueueMode;
    followUpMode: QueueMode;
    /**
     * Where the session is kept; none if it is not
     */
    sessionFile?: string | null;
    /**
     * The session's id
     */
    sessionId: string;
    /**
     * Its name; left out if it has none
     */
    sessionName?: string;
    /**
     * Whether compaction is automatic
     */
    autoCompactionEnabled: boolean;
    /**
     * Messages in the session
     */
    messageCount: number;
    /**
     * Messages in the queues
     */
    pendingMessageCount: number;
  };
}
/**
 * A model
 */
export interface Model {
  /**
   * Its id
   */
  id: string;
  /**
   * Its name for people
   */
  name: string;
  /**
   * The wire it is asked over
   */
  api: string;
  /**
   * Who serves it
   */
  provider: string;
  /**
   * Where
   */
  baseUrl: string;
  /**
   * Whether it can think
   */
  reasoning: boolean;
  /**
   * What it takes: text, image
   */
  input: string[];
  /**
   * Tokens that it can see
   */
  contextWindow: number;
  /**
   * Tokens that it can write
   */
  maxTokens: number;
  /**
   * What a million tokens cost
   */
  cost: {
    /**
     * Of input
     */
    input: number;
    /**
     * Of output
     */
    output: number;
    /**
     * Read from the cache
     */
    cacheRead: number;
    /**
     * Written to the cache
     */
    cacheWrite: number;
  };
}
/**
 * The state of the session
 */
export interface ResponseGetStateEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_state";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The messages of the session
 */
export interface ResponseGetMessagesEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_messages";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * The messages
     */
    messages: AppMessage[];
  };
}
/**
 * The messages of the session
 */
export interface ResponseGetMessagesEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_messages";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The model that is set now
 */
export interface ResponseSetModelEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_model";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: Model;
}
/**
 * The model that is set now
 */
export interface ResponseSetModelEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_model";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The selected model; null if there is no other
 */
export interface ResponseCycleModelEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "cycle_model";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    model: Model;
    thinkingLevel: ThinkingLevel;
    /**
     * Whether the choice of models was narrowed
     */
    isScoped: boolean;
  } | null;
}
/**
 * The selected model; null if there is no other
 */
export interface ResponseCycleModelEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "cycle_model";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The models that there are
 */
export interface ResponseGetAvailableModelsEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_available_models";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * The models
     */
    models: Model[];
  };
}
/**
 * The models that there are
 */
export interface ResponseGetAvailableModelsEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_available_models";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The level was set
 */
export interface ResponseSetThinkingLevelEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_thinking_level";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
}
/**
 * The level was set
 */
export interface ResponseSetThinkingLevelEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_thinking_level";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The level that is set now; null if the model does not think
 */
export interface ResponseCycleThinkingLevelEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "cycle_thinking_level";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    level: ThinkingLevel;
  } | null;
}
/**
 * The level that is set now; null if the model does not think
 */
export interface ResponseCycleThinkingLevelEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "cycle_thinking_level";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The levels that the model supports
 */
export interface ResponseGetAvailableThinkingLevelsEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_available_thinking_levels";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * The levels
     */
    levels: ThinkingLevel[];
  };
}
/**
 * The levels that the model supports
 */
export interface ResponseGetAvailableThinkingLevelsEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_available_thinking_levels";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The mode was set
 */
export interface ResponseSetSteeringModeEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_steering_mode";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
}
/**
 * The mode was set
 */
export interface ResponseSetSteeringModeEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_steering_mode";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The mode was set
 */
export interface ResponseSetFollowUpModeEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_follow_up_mode";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
}
/**
 * The mode was set
 */
export interface ResponseSetFollowUpModeEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_follow_up_mode";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * What the compaction came to
 */
export interface ResponseCompactEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "compact";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: CompactionResult;
}
/**
 * What a compaction came to
 */
export interface CompactionResult {
  /**
   * Replaces the conversation so far
   */
  summary: string;
  /**
   * The first entry that was kept
   */
  firstKeptEntryId: string;
  /**
   * Tokens in the context before it
   */
  tokensBefore: number;
  /**
   * About how many there are after it
   */
  estimatedTokensAfter: number;
  usage?: Usage;
  /**
   * Anything; may be left out
   */
  details?: unknown;
}
/**
 * What the compaction came to
 */
export interface ResponseCompactEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "compact";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The switch was set
 */
export interface ResponseSetAutoCompactionEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_auto_compaction";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
}
/**
 * The switch was set
 */
export interface ResponseSetAutoCompactionEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_auto_compaction";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The switch was set
 */
export interface ResponseSetAutoRetryEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_auto_retry";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
}
/**
 * The switch was set
 */
export interface ResponseSetAutoRetryEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_auto_retry";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * Trying again was aborted
 */
export interface ResponseAbortRetryEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "abort_retry";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
}
/**
 * Trying again was aborted
 */
export interface ResponseAbortRetryEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "abort_retry";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * What the shell command came to
 */
export interface ResponseBashEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "bash";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * What it wrote, shortened if large
     */
    output: string;
    /**
     * The exit code; none if it was cancelled
     */
    exitCode?: number | null;
    /**
     * Whether it was aborted
     */
    cancelled: boolean;
    /**
     * Whether the output was truncated
     */
    truncated: boolean;
    /**
     * A file with the complete output
     */
    fullOutputPath?: string | null;
  };
}
/**
 * What the shell command came to
 */
export interface ResponseBashEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "bash";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The shell command was aborted
 */
export interface ResponseAbortBashEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "abort_bash";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
}
/**
 * The shell command was aborted
 */
export interface ResponseAbortBashEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "abort_bash";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * What the session used
 */
export interface ResponseGetSessionStatsEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_session_stats";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * Where the session is kept; none if it is not
     */
    sessionFile?: string | null;
    /**
     * The session's id
     */
    sessionId: string;
    /**
     * Messages of the user
     */
    userMessages: number;
    /**
     * Messages of the model
     */
    assistantMessages: number;
    /**
     * Calls of tools
     */
    toolCalls: number;
    /**
     * Results of tools
     */
    toolResults: number;
    /**
     * Messages of any role
     */
    totalMessages: number;
    tokens: {
      /**
       * Of input
       */
      input: number;
      /**
       * Of output
       */
      output: number;
      /**
       * Read from the cache
       */
      cacheRead: number;
      /**
       * Written to the cache
       */
      cacheWrite: number;
      /**
       * In all
       */
      total: number;
    };
    /**
     * What they cost
     */
    cost: number;
    contextUsage?: {
      /**
       * Tokens in the context; null until it is known
       */
      tokens: number | null;
      /**
       * Tokens that there is room for
       */
      contextWindow: number;
      /**
       * How full it is; null until it is known
       */
      percent: number | null;
    };
  };
}
/**
 * What the session used
 */
export interface ResponseGetSessionStatsEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_session_stats";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * Where the session was written to
 */
export interface ResponseExportHtmlEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "export_html";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * The file
     */
    path: string;
  };
}
/**
 * Where the session was written to
 */
export interface ResponseExportHtmlEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "export_html";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * Another session
 */
export interface ResponseSwitchSessionEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "switch_session";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * Whether an extension cancelled it
     */
    cancelled: boolean;
  };
}
/**
 * Another session
 */
export interface ResponseSwitchSessionEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "switch_session";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * A fork of the session
 */
export interface ResponseForkEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "fork";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * The message it was forked from
     */
    text?: string;
    /**
     * Whether an extension cancelled it
     */
    cancelled: boolean;
  };
}
/**
 * A fork of the session
 */
export interface ResponseForkEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "fork";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * A copy of the session
 */
export interface ResponseCloneEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "clone";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * Whether an extension cancelled it
     */
    cancelled: boolean;
  };
}
/**
 * A copy of the session
 */
export interface ResponseCloneEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "clone";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The messages that can be forked from
 */
export interface ResponseGetForkMessagesEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_fork_messages";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * User messages
     */
    messages: {
      /**
       * The entry
       */
      entryId: string;
      /**
       * Its text
       */
      text: string;
    }[];
  };
}
/**
 * The messages that can be forked from
 */
export interface ResponseGetForkMessagesEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_fork_messages";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The entries of the session
 */
export interface ResponseGetEntriesEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_entries";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * The entries, in the order of their coming
     */
    entries: Entry[];
    /**
     * The entry that the conversation is at; null if there is none
     */
    leafId: string | null;
  };
}
/**
 * An entry of a session; each type has its own members
 */
export interface Entry {
  /**
   * What it is; the header of the session is none
   */
  type: string;
  /**
   * Its id
   */
  id: string;
  /**
   * The entry before it; null for a root
   */
  parentId: string | null;
  /**
   * When it was appended, in ISO 8601
   */
  timestamp: string;
  message?: AppMessage;
  [k: string]: unknown;
}
/**
 * The entries of the session
 */
export interface ResponseGetEntriesEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_entries";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The entries of the session as a tree
 */
export interface ResponseGetTreeEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_tree";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * The roots
     */
    tree: TreeNode[];
    /**
     * The entry that the conversation is at; null if there is none
     */
    leafId: string | null;
  };
}
/**
 * An entry with its children
 */
export interface TreeNode {
  entry: Entry;
  /**
   * What follows it
   */
  children: TreeNode[];
  /**
   * Its label
   */
  label?: string;
  /**
   * When it was labelled
   */
  labelTimestamp?: string;
}
/**
 * The entries of the session as a tree
 */
export interface ResponseGetTreeEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_tree";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The text of the last assistant message
 */
export interface ResponseGetLastAssistantTextEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_last_assistant_text";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * The text; null if there is no such message
     */
    text: string | null;
  };
}
/**
 * The text of the last assistant message
 */
export interface ResponseGetLastAssistantTextEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_last_assistant_text";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The name was set
 */
export interface ResponseSetSessionNameEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_session_name";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
}
/**
 * The name was set
 */
export interface ResponseSetSessionNameEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "set_session_name";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * The commands that a prompt can name
 */
export interface ResponseGetCommandsEventSucceeded {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_commands";
  /**
   * Whether it was done
   */
  success: true;
  /**
   * Why it was not
   */
  error?: string;
  data: {
    /**
     * The commands
     */
    commands: {
      /**
       * The text after the slash
       */
      name: string;
      /**
       * What it does
       */
      description?: string;
      /**
       * What it is
       */
      source: "extension" | "prompt" | "skill";
      /**
       * Where it comes from
       */
      sourceInfo: {
        /**
         * The file
         */
        path: string;
        /**
         * How it was found
         */
        source: string;
        /**
         * Whom it is for
         */
        scope: "user" | "project" | "temporary";
        /**
         * Whether it is part of a package
         */
        origin: "top-level" | "package";
        /**
         * The folder of the package
         */
        baseDir?: string;
      };
    }[];
  };
}
/**
 * The commands that a prompt can name
 */
export interface ResponseGetCommandsEventFailed {
  type: "response";
  /**
   * The command's id, if it had one
   */
  id?: unknown;
  /**
   * The command's type
   */
  command: "get_commands";
  /**
   * Whether it was done
   */
  success: false;
  /**
   * Why it was not
   */
  error: string;
}
/**
 * A tool is at work
 */
export interface ToolExecutionUpdateEvent {
  type: "tool_execution_update";
  /**
   * The call's id
   */
  toolCallId: string;
  /**
   * The tool
   */
  toolName: string;
  /**
   * The arguments
   */
  args: {
    [k: string]: unknown;
  };
  /**
   * The output so far
   */
  partialResult: {
    /**
     * Text and images
     */
    content: ToolContent[];
  };
  /**
   * The call of the tool that made this one
   */
  parentToolCallId?: string;
}
/**
 * A queue of pending messages has changed
 */
export interface QueueUpdateEvent {
  type: "queue_update";
  /**
   * Pending steering messages
   */
  steering: string[];
  /**
   * Pending follow-up messages
   */
  followUp: string[];
}
/**
 * A compaction begins
 */
export interface CompactionStartEvent {
  type: "compaction_start";
  /**
   * Why
   */
  reason: "manual" | "threshold" | "overflow";
}
/**
 * A compaction is over
 */
export interface CompactionEndEvent {
  type: "compaction_end";
  /**
   * Why
   */
  reason: "manual" | "threshold" | "overflow";
  result?: CompactionResult;
  /**
   * Whether it was aborted
   */
  aborted: boolean;
  /**
   * Whether the prompt is tried again
   */
  willRetry: boolean;
  /**
   * Why it failed
   */
  errorMessage?: string;
}
/**
 * A failed request will be tried again
 */
export interface AutoRetryStartEvent {
  type: "auto_retry_start";
  /**
   * Which attempt, from 1
   */
  attempt: number;
  /**
   * How many there will be
   */
  maxAttempts: number;
  /**
   * The wait before it, in milliseconds
   */
  delayMs: number;
  /**
   * What went wrong
   */
  errorMessage: string;
}
/**
 * Trying again is over
 */
export interface AutoRetryEndEventSucceeded {
  type: "auto_retry_end";
  /**
   * Whether it helped
   */
  success: true;
  /**
   * The last attempt
   */
  attempt: number;
  /**
   * What went wrong in the end
   */
  finalError?: string;
}
/**
 * Trying again is over
 */
export interface AutoRetryEndEventFailed {
  type: "auto_retry_end";
  /**
   * Whether it helped
   */
  success: false;
  /**
   * The last attempt
   */
  attempt: number;
  /**
   * What went wrong in the end
   */
  finalError: string;
}
/**
 * An extension threw an error
 */
export interface ExtensionErrorEvent {
  type: "extension_error";
  /**
   * The extension
   */
  extensionPath: string;
  /**
   * What it was handling
   */
  event: string;
  /**
   * What went wrong
   */
  error: string;
}
/**
 * Choose one of several
 */
export interface ExtensionUiRequestSelectEvent {
  type: "extension_ui_request";
  /**
   * Its id, to answer it by
   */
  id: string;
  /**
   * The kind
   */
  method: "select";
  /**
   * The question
   */
  title: string;
  /**
   * What there is to choose
   */
  options: string[];
  /**
   * Milliseconds after which the agent itself answers
   */
  timeout?: number;
}
/**
 * Yes or no
 */
export interface ExtensionUiRequestConfirmEvent {
  type: "extension_ui_request";
  /**
   * Its id, to answer it by
   */
  id: string;
  /**
   * The kind
   */
  method: "confirm";
  /**
   * The question
   */
  title: string;
  /**
   * More of it
   */
  message: string;
  /**
   * Milliseconds after which the agent itself answers
   */
  timeout?: number;
}
/**
 * A line of text
 */
export interface ExtensionUiRequestInputEvent {
  type: "extension_ui_request";
  /**
   * Its id, to answer it by
   */
  id: string;
  /**
   * The kind
   */
  method: "input";
  /**
   * The question
   */
  title: string;
  /**
   * Shown while nothing is typed
   */
  placeholder?: string;
  /**
   * Milliseconds after which the agent itself answers
   */
  timeout?: number;
}
/**
 * Several lines of text
 */
export interface ExtensionUiRequestEditorEvent {
  type: "extension_ui_request";
  /**
   * Its id, to answer it by
   */
  id: string;
  /**
   * The kind
   */
  method: "editor";
  /**
   * The question
   */
  title: string;
  /**
   * What is there to begin with
   */
  prefill?: string;
}
/**
 * A notice
 */
export interface ExtensionUiRequestNotifyEvent {
  type: "extension_ui_request";
  /**
   * Its id, to answer it by
   */
  id: string;
  /**
   * The kind
   */
  method: "notify";
  /**
   * The notice
   */
  message: string;
  /**
   * Its kind; info if left out
   */
  notifyType?: "info" | "warning" | "error";
}
/**
 * A line of the status bar
 */
export interface ExtensionUiRequestSetStatusEvent {
  type: "extension_ui_request";
  /**
   * Its id, to answer it by
   */
  id: string;
  /**
   * The kind
   */
  method: "setStatus";
  /**
   * Whose line
   */
  statusKey: string;
  /**
   * The line; left out to clear it
   */
  statusText?: string;
}
/**
 * A block of lines next to the editor
 */
export interface ExtensionUiRequestSetWidgetEvent {
  type: "extension_ui_request";
  /**
   * Its id, to answer it by
   */
  id: string;
  /**
   * The kind
   */
  method: "setWidget";
  /**
   * Whose block
   */
  widgetKey: string;
  /**
   * The lines; left out to clear it
   */
  widgetLines?: string[];
  /**
   * Where; above if left out
   */
  widgetPlacement?: "aboveEditor" | "belowEditor";
}
/**
 * The window's title
 */
export interface ExtensionUiRequestSetTitleEvent {
  type: "extension_ui_request";
  /**
   * Its id, to answer it by
   */
  id: string;
  /**
   * The kind
   */
  method: "setTitle";
  /**
   * The title
   */
  title: string;
}
/**
 * The text in the editor
 */
export interface ExtensionUiRequestSetEditorTextEvent {
  type: "extension_ui_request";
  /**
   * Its id, to answer it by
   */
  id: string;
  /**
   * The kind
   */
  method: "set_editor_text";
  /**
   * The text
   */
  text: string;
}
/**
 * Nothing more happens without a command
 */
export interface AgentSettledEvent {
  type: "agent_settled";
  /**
   * Whether the run was aborted
   */
  aborted: boolean;
}
/**
 * An entry was appended to the session
 */
export interface EntryAppendedEvent {
  type: "entry_appended";
  entry: Entry;
}
/**
 * The session's name has changed
 */
export interface SessionInfoChangedEvent {
  type: "session_info_changed";
  /**
   * The name; left out if it was cleared
   */
  name?: string;
}
/**
 * The thinking level has changed
 */
export interface ThinkingLevelChangedEvent {
  type: "thinking_level_changed";
  level: ThinkingLevel;
}
/**
 * A summary that failed will be tried again
 */
export interface SummarizationRetryScheduledEvent {
  type: "summarization_retry_scheduled";
  /**
   * Which attempt, from 1
   */
  attempt: number;
  /**
   * How many there will be
   */
  maxAttempts: number;
  /**
   * The wait before it, in milliseconds
   */
  delayMs: number;
  /**
   * What went wrong
   */
  errorMessage: string;
}
/**
 * A summary is tried again
 */
export interface SummarizationRetryAttemptStartEvent {
  type: "summarization_retry_attempt_start";
  /**
   * What the summary is for
   */
  source: "compaction" | "branchSummary";
  /**
   * Why the compaction
   */
  reason?: "manual" | "threshold" | "overflow";
}
/**
 * Trying a summary again is over
 */
export interface SummarizationRetryFinishedEvent {
  type: "summarization_retry_finished";
}
/**
 * A shell command of the host has written something
 */
export interface BashExecutionUpdateEvent {
  type: "bash_execution_update";
  /**
   * The command's id, if it had one
   */
  id?: string;
  /**
   * What is new
   */
  delta: string;
}
/**
 * Send a user's prompt
 */
export interface PromptCommand {
  type: "prompt";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * The user's text
   */
  message: string;
  /**
   * Images that go with it
   */
  images?: ImageContent[];
  /**
   * How it is queued during a run
   */
  streamingBehavior?: "steer" | "followUp";
}
/**
 * Abort the current operation
 */
export interface AbortCommand {
  type: "abort";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Compact the context
 */
export interface CompactCommand {
  type: "compact";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * What the summary should dwell on
   */
  customInstructions?: string;
}
/**
 * Run a shell command and keep its output
 */
export interface BashCommand {
  type: "bash";
  /**
   * Identifies its response and its output
   */
  id?: string;
  /**
   * The command
   */
  command: string;
  /**
   * Whether the model is not to know of it
   */
  excludeFromContext?: boolean;
}
/**
 * Queue a message for the current run
 */
export interface SteerCommand {
  type: "steer";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * The user's text
   */
  message: string;
  /**
   * Images that go with it
   */
  images?: ImageContent[];
}
/**
 * Queue a message for when the agent is done
 */
export interface FollowUpCommand {
  type: "follow_up";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * The user's text
   */
  message: string;
  /**
   * Images that go with it
   */
  images?: ImageContent[];
}
/**
 * Begin a new session
 */
export interface NewSessionCommand {
  type: "new_session";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * The session it comes from
   */
  parentSession?: string;
}
/**
 * Ask for the state of the session
 */
export interface GetStateCommand {
  type: "get_state";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Ask for the messages of the session
 */
export interface GetMessagesCommand {
  type: "get_messages";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Choose a model
 */
export interface SetModelCommand {
  type: "set_model";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * Who serves it
   */
  provider: string;
  /**
   * Its id
   */
  modelId: string;
}
/**
 * Choose the next model
 */
export interface CycleModelCommand {
  type: "cycle_model";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Ask for the models that there are
 */
export interface GetAvailableModelsCommand {
  type: "get_available_models";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Choose how much the model thinks
 */
export interface SetThinkingLevelCommand {
  type: "set_thinking_level";
  /**
   * Identifies its response
   */
  id?: string;
  /**
   * The level
   */
  level: "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
}
/**
 * Choose the next level
 */
export interface CycleThinkingLevelCommand {
  type: "cycle_thinking_level";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Choose how steering messages are delivered
 */
export interface SetSteeringModeCommand {
  type: "set_steering_mode";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * The mode
   */
  mode: "all" | "one-at-a-time";
}
/**
 * Choose how follow-up messages are delivered
 */
export interface SetFollowUpModeCommand {
  type: "set_follow_up_mode";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * The mode
   */
  mode: "all" | "one-at-a-time";
}
/**
 * Switch automatic compaction
 */
export interface SetAutoCompactionCommand {
  type: "set_auto_compaction";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * Whether it is on
   */
  enabled: boolean;
}
/**
 * Switch automatic retries
 */
export interface SetAutoRetryCommand {
  type: "set_auto_retry";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * Whether they are on
   */
  enabled: boolean;
}
/**
 * Abort the wait for a retry
 */
export interface AbortRetryCommand {
  type: "abort_retry";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Abort the shell command
 */
export interface AbortBashCommand {
  type: "abort_bash";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Ask for the usage of the session
 */
export interface GetSessionStatsCommand {
  type: "get_session_stats";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Write the session to a file
 */
export interface ExportHtmlCommand {
  type: "export_html";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * The file
   */
  outputPath?: string;
}
/**
 * Load another session
 */
export interface SwitchSessionCommand {
  type: "switch_session";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * Its file
   */
  sessionPath: string;
}
/**
 * Fork the session at a message of the user
 */
export interface ForkCommand {
  type: "fork";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * The message's entry
   */
  entryId: string;
}
/**
 * Copy the session
 */
export interface CloneCommand {
  type: "clone";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Ask for the messages that can be forked from
 */
export interface GetForkMessagesCommand {
  type: "get_fork_messages";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Ask for the last text of the model
 */
export interface GetLastAssistantTextCommand {
  type: "get_last_assistant_text";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Name the session
 */
export interface SetSessionNameCommand {
  type: "set_session_name";
  /**
   * Identifies its response
   */
  id?: string | number | null;
  /**
   * The name
   */
  name: string;
}
/**
 * Ask for the commands that a prompt can name
 */
export interface GetCommandsCommand {
  type: "get_commands";
  /**
   * Identifies its response
   */
  id?: string | number | null;
}
/**
 * Answer a dialog of an extension
 */
export interface ExtensionUiResponseCommand {
  type: "extension_ui_response";
  /**
   * The request's id
   */
  id: string;
  /**
   * What was chosen or written
   */
  value?: string;
  /**
   * Yes or no
   */
  confirmed?: boolean;
  /**
   * The dialog was dismissed
   */
  cancelled?: true;
}
/**
 * Remove and return the queued messages
 */
export interface ClearQueueCommand {
  type: "clear_queue";
  /**
   * Identifies its response
   */
  id?: string;
}
/**
 * Ask for the levels that the model supports
 */
export interface GetAvailableThinkingLevelsCommand {
  type: "get_available_thinking_levels";
  /**
   * Identifies its response
   */
  id?: string;
}
/**
 * Ask for the entries of the session
 */
export interface GetEntriesCommand {
  type: "get_entries";
  /**
   * Identifies its response
   */
  id?: string;
  /**
   * The entry after which to begin
   */
  since?: string;
}
/**
 * Ask for the entries of the session as a tree
 */
export interface GetTreeCommand {
  type: "get_tree";
  /**
   * Identifies its response
   */
  id?: string;
}
