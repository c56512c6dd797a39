// The frames of aionrs@0.2. Generated from its schemas by clients/generate.

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
  | InfoEvent
  | ConfigChangedEvent
  | McpReadyEvent
  | PongEvent;
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
export type Command =
  | MessageCommand
  | StopCommand
  | ToolApproveCommand
  | ToolDenyCommand
  | InitHistoryCommand
  | SetModeCommand
  | SetConfigCommand
  | AddMcpServerCommand
  | PingCommand;

/**
 * The agent is up and takes messages
 */
export interface ReadyEvent {
  type: "ready";
  /**
   * The version, semver
   */
  version: string;
  /**
   * The session; left out when sessions are disabled
   */
  session_id?: string;
  capabilities: Capabilities;
}
/**
 * What the agent can do, and how it is set
 */
export interface Capabilities {
  /**
   * It pauses and waits for approval of a tool
   */
  tool_approval: boolean;
  /**
   * The provider can think first
   */
  thinking: boolean;
  /**
   * It has MCP tools
   */
  mcp: boolean;
  /**
   * The provider has levels of effort
   */
  effort: boolean;
  /**
   * Their names; none where there are no levels
   */
  effort_levels: string[];
  /**
   * The approval modes it has
   */
  modes: string[];
  /**
   * The approval mode it is in
   */
  current_mode: string;
  /**
   * Whether the model takes images
   */
  image_input: "supported" | "unsupported" | "unknown";
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
 * How the agent is set, after a set_config or a set_mode
 */
export interface ConfigChangedEvent {
  type: "config_changed";
  capabilities: Capabilities;
}
/**
 * An MCP server is connected, and these are its tools
 */
export interface McpReadyEvent {
  type: "mcp_ready";
  /**
   * The server
   */
  name: string;
  /**
   * What it offers
   */
  tools: unknown[];
}
/**
 * The answer to a ping
 */
export interface PongEvent {
  type: "pong";
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
  content: string;
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
/**
 * Changes the settings of requests to the model; omitted ones stay unchanged
 */
export interface SetConfigCommand {
  type: "set_config";
  /**
   * The model to ask from now on
   */
  model?: string | null;
  /**
   * Whether the model takes images
   */
  image_input?: string | null;
  /**
   * Whether the model thinks first
   */
  thinking?: string | null;
  /**
   * How many tokens it may think
   */
  thinking_budget?: number | null;
  /**
   * One of the announced effort_levels
   */
  effort?: string | null;
  /**
   * How eagerly the output of tools is compacted
   */
  compaction?: string | null;
}
/**
 * Connects an MCP server; before the first message
 */
export interface AddMcpServerCommand {
  type: "add_mcp_server";
  name: string;
  transport: string;
  /**
   * The server's program
   */
  command?: string | null;
  /**
   * Its arguments
   */
  args?: string[] | null;
  /**
   * Its variables
   */
  env?: {
    [k: string]: string;
  } | null;
  /**
   * Where it is served instead
   */
  url?: string | null;
  /**
   * What is sent with every request
   */
  headers?: {
    [k: string]: string;
  } | null;
}
/**
 * Asks whether the agent still listens
 */
export interface PingCommand {
  type: "ping";
}
