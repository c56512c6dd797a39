// The frames of pi@0.14. Generated from its schemas by clients/generate.

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
  | CompactionEvent
  | BashEndEvent
  | ErrorEvent;
/**
 * A message of any role; the roles of an app's own have shapes of their own
 */
export type AppMessage = UserMessage | AssistantMessage | ToolResultMessage | BashExecutionMessage;
/**
 * A block of a user message
 */
export type UserContent = TextContent | ImageContent;
/**
 * Unix time in milliseconds; the minimum rules out seconds
 */
export type Timestamp = number;
/**
 * A block of an assistant message
 */
export type AssistantContent = TextContent | ThinkingContent | ToolCall;
/**
 * Why a message ended
 */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";
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
 * What the host sends.
 */
export type Command = PromptCommand | AbortCommand | CompactCommand | BashCommand;

/**
 * The agent begins to process a prompt
 */
export interface AgentStartEvent {
  type: "agent_start";
}
/**
 * The prompt is done with
 */
export interface AgentEndEvent {
  type: "agent_end";
  /**
   * The messages of the run
   */
  messages: AppMessage[];
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
   * Output tokens
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
}
/**
 * A shell command of the user and its result
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
   * The exit code; null if it was killed
   */
  exitCode: number | null;
  /**
   * Whether the user cancelled it
   */
  cancelled: boolean;
  /**
   * Whether the output was truncated
   */
  truncated: boolean;
  /**
   * A file with the complete output
   */
  fullOutputPath?: string;
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
  message: PartialAssistantMessage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "start";
    partial: AssistantMessage;
  };
}
/**
 * An assistant message while it streams; the members that are there have their final types
 */
export interface PartialAssistantMessage {
  role: "assistant";
  /**
   * Text, thinking and tool calls in the order of the stream
   */
  content?: AssistantContent[];
  /**
   * The wire that the model was asked over
   */
  api?: string;
  /**
   * Who serves the model
   */
  provider?: string;
  /**
   * The model
   */
  model?: string;
  usage?: Usage;
  stopReason?: StopReason;
  /**
   * What went wrong
   */
  errorMessage?: string;
  timestamp?: Timestamp;
}
/**
 * A block of text begins
 */
export interface MessageUpdateTextStartEvent {
  type: "message_update";
  message: PartialAssistantMessage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "text_start";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
    partial: AssistantMessage;
  };
}
/**
 * A piece of a block of text
 */
export interface MessageUpdateTextDeltaEvent {
  type: "message_update";
  message: PartialAssistantMessage;
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
    partial: AssistantMessage;
  };
}
/**
 * A block of text is complete
 */
export interface MessageUpdateTextEndEvent {
  type: "message_update";
  message: PartialAssistantMessage;
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
    partial: AssistantMessage;
  };
}
/**
 * A block of reasoning begins
 */
export interface MessageUpdateThinkingStartEvent {
  type: "message_update";
  message: PartialAssistantMessage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "thinking_start";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
    partial: AssistantMessage;
  };
}
/**
 * A piece of a block of reasoning
 */
export interface MessageUpdateThinkingDeltaEvent {
  type: "message_update";
  message: PartialAssistantMessage;
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
    partial: AssistantMessage;
  };
}
/**
 * A block of reasoning is complete
 */
export interface MessageUpdateThinkingEndEvent {
  type: "message_update";
  message: PartialAssistantMessage;
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
    partial: AssistantMessage;
  };
}
/**
 * A tool call begins
 */
export interface MessageUpdateToolcallStartEvent {
  type: "message_update";
  message: PartialAssistantMessage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "toolcall_start";
    /**
     * The block's place in the message's content
     */
    contentIndex: number;
    partial: AssistantMessage;
  };
}
/**
 * A piece of a tool call's arguments
 */
export interface MessageUpdateToolcallDeltaEvent {
  type: "message_update";
  message: PartialAssistantMessage;
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
     * The piece of JSON
     */
    delta: string;
    partial: AssistantMessage;
  };
}
/**
 * A tool call is complete
 */
export interface MessageUpdateToolcallEndEvent {
  type: "message_update";
  message: PartialAssistantMessage;
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
    partial: AssistantMessage;
  };
}
/**
 * The stream is done
 */
export interface MessageUpdateDoneEvent {
  type: "message_update";
  message: PartialAssistantMessage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "done";
    /**
     * Why it ended
     */
    reason: "stop" | "length" | "toolUse";
    message: AssistantMessage;
  };
}
/**
 * The stream failed or was aborted
 */
export interface MessageUpdateErrorEvent {
  type: "message_update";
  message: PartialAssistantMessage;
  assistantMessageEvent: {
    /**
     * The kind
     */
    type: "error";
    /**
     * Why it ended
     */
    reason: "aborted" | "error";
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
  /**
   * An AgentToolResult, or the message of an error
   */
  result:
    | {
        [k: string]: unknown;
      }
    | string;
  /**
   * Whether the tool failed
   */
  isError: boolean;
}
/**
 * The context was compacted
 */
export interface CompactionEvent {
  type: "compaction";
  /**
   * Replaces the conversation so far
   */
  summary: string;
  /**
   * Tokens in the context before it
   */
  tokensBefore: number;
  /**
   * There for an automatic compaction only
   */
  auto?: true;
}
/**
 * A shell command of the user is complete
 */
export interface BashEndEvent {
  type: "bash_end";
  message: BashExecutionMessage;
}
/**
 * The processing of input failed
 */
export interface ErrorEvent {
  type: "error";
  /**
   * What went wrong
   */
  error: string;
}
/**
 * Send a user's prompt
 */
export interface PromptCommand {
  type: "prompt";
  /**
   * The user's text
   */
  message: string;
  /**
   * Images and documents; absent means none
   */
  attachments?: Attachment[];
}
/**
 * A file that goes with a prompt
 */
export interface Attachment {
  /**
   * Its id
   */
  id: string;
  /**
   * What it is
   */
  type: "image" | "document";
  /**
   * The file's name
   */
  fileName: string;
  /**
   * The MIME type
   */
  mimeType: string;
  /**
   * The size in bytes
   */
  size: number;
  /**
   * The file in base64, without a data URL prefix
   */
  content: string;
  /**
   * The text of a document
   */
  extractedText?: string;
  /**
   * A preview image in base64
   */
  preview?: string;
}
/**
 * Abort the current operation
 */
export interface AbortCommand {
  type: "abort";
}
/**
 * Compact the context
 */
export interface CompactCommand {
  type: "compact";
  /**
   * What the summary should dwell on
   */
  customInstructions?: string;
}
/**
 * Run a shell command and keep its output in the context
 */
export interface BashCommand {
  type: "bash";
  /**
   * The command
   */
  command: string;
}
