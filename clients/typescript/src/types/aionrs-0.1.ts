// The frames of aionrs@0.1. Generated from its schemas by clients/generate.

/**
 * A frame of either side.
 */
export type Frame = Event | Command;
/**
 * What the agent sends.
 */
export type Event =
  | ReadyEvent
  | StreamStartEvent
  | TextDeltaEvent
  | ThinkingEvent
  | ToolRequestEvent
  | ToolRunningEvent
  | ToolResultEvent
  | ToolCancelledEvent
  | StreamEndEvent
  | ErrorEvent
  | InfoEvent;
/**
 * The msg_id of the message that the turn answers
 */
export type MsgId = string;
/**
 * The id of one tool invocation
 */
export type CallId = string;
/**
 * A built-in tool's name or an MCP tool's
 */
export type ToolName = string;
/**
 * A number of tokens
 */
export type Count = number;
/**
 * What the host sends.
 */
export type Command = MessageCommand | StopCommand | ToolApproveCommand | ToolDenyCommand | InitHistoryCommand | SetModeCommand;

/**
 * The agent is up and takes messages
 */
export interface ReadyEvent {
  type: "ready";
  /**
   * The version of the protocol, semver
   */
  version: string;
  /**
   * The session; left out when sessions are disabled
   */
  session_id?: string;
  /**
   * What the agent can do
   */
  capabilities: {
    /**
     * It pauses and waits for approval of a tool
     */
    tool_approval: boolean;
    /**
     * It emits thinking events
     */
    thinking: boolean;
    /**
     * It has MCP tools
     */
    mcp: boolean;
  };
}
/**
 * A turn has started
 */
export interface StreamStartEvent {
  type: "stream_start";
  msg_id: MsgId;
}
/**
 * The next piece of the answer's text
 */
export interface TextDeltaEvent {
  type: "text_delta";
  text: string;
  msg_id: MsgId;
}
/**
 * The next piece of the model's reasoning
 */
export interface ThinkingEvent {
  type: "thinking";
  text: string;
  msg_id: MsgId;
}
/**
 * The agent wants to run a tool and waits for the client's answer
 */
export interface ToolRequestEvent {
  type: "tool_request";
  msg_id: MsgId;
  call_id: CallId;
  /**
   * The tool and its arguments
   */
  tool: {
    name: ToolName;
    /**
     * Reads, changes files, executes, or belongs to an MCP server
     */
    category: "info" | "edit" | "exec" | "mcp";
    /**
     * The arguments, as the model gave them
     */
    args: {
      [k: string]: unknown;
    };
    /**
     * One line for a human; may be empty
     */
    description: string;
  };
}
/**
 * The tool's execution has started
 */
export interface ToolRunningEvent {
  type: "tool_running";
  msg_id: MsgId;
  call_id: CallId;
  tool_name: ToolName;
}
/**
 * The tool has completed, well or badly
 */
export interface ToolResultEvent {
  type: "tool_result";
  msg_id: MsgId;
  call_id: CallId;
  tool_name: ToolName;
  status: "success" | "error";
  /**
   * What the tool gave, shortened if too long
   */
  output: string;
  /**
   * How to show the output; text if left out
   */
  output_type?: "text" | "diff" | "image";
  /**
   * More about the output; a diff names its file here
   */
  metadata?: {
    file_path?: string;
  } | null;
}
/**
 * The call was denied or cancelled
 */
export interface ToolCancelledEvent {
  type: "tool_cancelled";
  msg_id: MsgId;
  call_id: CallId;
  reason: string;
}
/**
 * The turn has finished
 */
export interface StreamEndEvent {
  type: "stream_end";
  msg_id: MsgId;
  usage: Usage;
}
/**
 * The tokens of the turn, or of the session so far; cache counts may be left out
 */
export interface Usage {
  input_tokens: Count;
  output_tokens: Count;
  cache_read_tokens?: Count;
  cache_write_tokens?: Count;
}
/**
 * Something went wrong; the session may or may not go on
 */
export interface ErrorEvent {
  type: "error";
  /**
   * The message it belongs to; null or left out if to none
   */
  msg_id?: string | null;
  error: {
    /**
     * Which kind of error
     */
    code: "provider_error" | "tool_error" | "config_error" | "protocol_error" | "internal_error";
    /**
     * For a human; not empty
     */
    message: string;
    /**
     * Whether trying again may help
     */
    retryable: boolean;
  };
}
/**
 * Something to show and not to act on
 */
export interface InfoEvent {
  type: "info";
  /**
   * The turn it belongs to; may be empty, null or absent
   */
  msg_id?: string | null;
  message: string;
}
/**
 * The user's text; begins a turn
 */
export interface MessageCommand {
  type: "message";
  /**
   * The client's own id for it, unique
   */
  msg_id: string;
  /**
   * The user's text
   */
  input: string;
  /**
   * Paths of attached files
   */
  files?: string[];
}
/**
 * Aborts the current turn
 */
export interface StopCommand {
  type: "stop";
}
/**
 * Lets a pending call run
 */
export interface ToolApproveCommand {
  type: "tool_approve";
  call_id: CallId;
  /**
   * This call only, or its category for the session
   */
  scope?: "once" | "always";
}
/**
 * Refuses a pending call
 */
export interface ToolDenyCommand {
  type: "tool_deny";
  call_id: CallId;
  /**
   * The text for the model
   */
  reason?: string;
}
/**
 * Gives the conversation a past; before the first message
 */
export interface InitHistoryCommand {
  type: "init_history";
  text: string;
}
/**
 * Changes the approval mode of the session
 */
export interface SetModeCommand {
  type: "set_mode";
  mode: "default" | "auto_edit" | "yolo";
}
